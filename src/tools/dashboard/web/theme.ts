// Dark or light: as the system has it, until somebody chooses.

const stored = 'cloudemu-theme';

function prefersDark(): boolean {
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The theme in force. */
export function theme(): 'dark' | 'light' {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'dark' || chosen === 'light' ? chosen : prefersDark() ? 'dark' : 'light';
}

/** Changes to the other one, and keeps it. */
export function toggleTheme(): void {
  const next = theme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  localStorage.setItem(stored, next);
}

const kept = localStorage.getItem(stored);
if (kept !== null) document.documentElement.dataset.theme = kept;
