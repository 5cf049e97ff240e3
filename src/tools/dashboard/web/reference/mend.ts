// Adds what Swagger UI lacks for the keyboard and for screen readers, as it renders.

/** Mends what is below an element, now and as it changes. */
export function keepMended(root: Element): void {
  new MutationObserver(() => mend(root)).observe(root, { childList: true, subtree: true });
}

const regions = { '.information-container': 'About', '.scheme-container': 'Credentials', '.filter': 'Filter' };

function mend(root: Element): void {
  for (const [selector, name] of Object.entries(regions))
    for (const part of root.querySelectorAll(`${selector}:not([role])`)) {
      part.setAttribute('role', 'region');
      part.setAttribute('aria-label', name);
    }
  for (const select of root.querySelectorAll('#servers:not([aria-label])')) select.setAttribute('aria-label', 'Server');
  for (const text of root.querySelectorAll('textarea:not([aria-label])')) text.setAttribute('aria-label', 'Body');
  for (const table of root.querySelectorAll('table[role=region]:not([aria-label])'))
    table.setAttribute('aria-label', table.id.replaceAll('_', ' '));
  // Regions that scroll are reached by Tab.
  for (const text of root.querySelectorAll<HTMLElement>('pre:not([tabindex])')) text.tabIndex = 0;
  // The heading of an operation is a button; the link inside it would be a second stop, for the same act.
  for (const link of root.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
}
