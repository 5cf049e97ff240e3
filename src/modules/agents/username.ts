// Usernames of agents: a slug of the name, unique in the world.

export const minUsername = 3;
export const maxUsername = 30;
export const usernamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The username that a name asks for: its letters without accents, dashes between words, 3 to 30 characters.
 *
 * @example usernameOf('Émile_Zola 2') // 'emile-zola-2'
 */
export function usernameOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    // By way of upper case ß becomes ss.
    .toUpperCase()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-')
    .replace(/[^a-z0-9-]+/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '');
  const cut = cutTo(slug, maxUsername);
  if (cut === '') return 'agent';
  return cut.length < minUsername ? `${cut}-agent` : cut;
}

/** The username itself or, when it is taken, the first of `-2`, `-3`, … that is free and still fits. */
export function freeUsername(wanted: string, isTaken: (username: string) => boolean): string {
  let username = wanted;
  for (let n = 2; isTaken(username); n++) {
    const suffix = `-${n}`;
    username = cutTo(wanted, maxUsername - suffix.length) + suffix;
  }
  return username;
}

function cutTo(slug: string, length: number): string {
  return slug.slice(0, length).replace(/-$/, '');
}
