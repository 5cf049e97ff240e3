// The pages for signing in and out, and for completing the login of a command-line client.

import type { ApiError, FieldProblem } from '../../core/errors.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { escapeHtml } from '../../core/visible.js';
import type { TextAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';
import type { User } from '../accounts/store.js';

/** A user to sign in as. */
interface Candidate {
  user: User;
  /** The name of the user's organization. */
  organization: string;
}

/** The data that most pages show. */
export interface LoginView {
  world: World;
  /** The prefix of the world's paths. */
  prefix: string;
  candidates: readonly Candidate[];
  /** There are more users than are shown. */
  more: boolean;
  signedIn: User | undefined;
  /** The target of the redirect after the login; undefined: back to the login page. */
  returnTo: URL | undefined;
}

/** Lets the user pick an account, continue as the current one, or sign out. */
export function loginPage(view: LoginView): TextAnswer {
  const { world, signedIn, returnTo } = view;
  const content = html`${signedIn === undefined ? nothing : whoIs(view, signedIn)}
${picker(view)}`;
  return page(world, { title: 'Sign in', content, ...formsTo(returnTo) });
}

function whoIs({ prefix, returnTo }: LoginView, user: User): Html {
  const onward =
    returnTo === undefined ? nothing : html`<a class="button" href="${returnTo.href}">Go on as ${nameOf(user)}</a>`;
  return html`<p>You are signed in as ${nameOf(user)}.</p>${onward}${signOut(prefix)}`;
}

/** Ends the session of this browser. */
export function logoutPage({ world, prefix, signedIn, returnTo }: LoginView): TextAnswer {
  const content =
    signedIn === undefined
      ? html`<p>Nobody is signed in.</p><p><a href="${prefix}/auth/login">Sign in</a></p>`
      : html`<p>You are signed in as ${nameOf(signedIn)}.</p>${signOut(prefix, returnTo)}`;
  return page(world, { title: 'Sign out', content, ...formsTo(returnTo) });
}

/** Completes the login of a command-line client; without a session the user signs in first. */
export function cliLoginPage(view: LoginView, sessionId: string | undefined): TextAnswer {
  const { world, prefix, signedIn } = view;
  return page(world, { title: 'Sign in a command line', content: contentOf() });

  function contentOf(): Html {
    if (sessionId === undefined)
      return html`<p>Nothing waits for a sign-in: the address of this page must name a session, <code>?session=…</code>.</p>`;
    if (signedIn === undefined) return picker(view);
    return html`<p>A command line asks for an API key of ${nameOf(signedIn)}.</p>
<p>Its session is <code>${sessionId}</code>. If you have not started it, close this page.</p>
<form method="post" action="${prefix}/api/auth/cli-session/${encodeURIComponent(sessionId)}/complete">
<button>Give it a key</button></form>
${signOut(prefix, view.returnTo)}`;
  }
}

/** Confirms that the command-line client receives its key. */
export function cliDonePage(world: World): TextAnswer {
  const content = html`<p>The command line has its key. You can close this page and go back to it.</p>`;
  return page(world, { title: 'Done', content });
}

/** Shows an error. */
export function errorPage(world: World, { status, message, options }: ApiError): TextAnswer {
  const problems = Array.isArray(options.details) ? (options.details as FieldProblem[]) : [];
  const items = problems.map(
    ({ path, message: problem, suggestion }) =>
      html`<li><code>${path}</code> ${problem}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}</li>`,
  );
  const content = items.length === 0 ? html`<p>${message}</p>` : html`<ul>${items}</ul>`;
  return page(world, { title: `That did not work (${status})`, content, status });
}

function picker({ prefix, candidates, more, returnTo }: LoginView): Html {
  const back = returnTo === undefined ? nothing : html`<input type="hidden" name="return_to" value="${returnTo.href}">`;
  const buttons = candidates.map(
    ({ user, organization }) =>
      html`<button name="userId" value="${user.id}">${nameOf(user)}<br><small>${user.role} of ${organization}</small></button>`,
  );
  return html`<p>Who do you want to be? No password is asked for.</p>
<form method="post" action="${prefix}/auth/login">${back}${buttons}</form>
${more ? html`<p><small>There are more users: <code>POST ${prefix}/auth/login</code> takes the email of any.</small></p>` : nothing}`;
}

function signOut(prefix: string, returnTo?: URL): Html {
  const back = returnTo === undefined ? nothing : html`<input type="hidden" name="return_to" value="${returnTo.href}">`;
  return html`<form method="post" action="${prefix}/auth/logout">${back}<button>Sign out</button></form>`;
}

function nameOf({ name, email }: User): string {
  return email === null ? name : `${name} (${email})`;
}

function formsTo(url: URL | undefined): { formsTo?: string } {
  return url === undefined ? {} : { formsTo: url.origin };
}

/** Safe HTML: only `html` creates it. */
export interface Html {
  readonly markup: string;
}

/** Markup in which every value is escaped, except markup itself and lists of it. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  const written = values.map((value) => {
    if (typeof value === 'object') return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
    return escapeHtml(String(value));
  });
  return { markup: parts.map((part, index) => part + (written[index] ?? '')).join('') };
}

const nothing: Html = { markup: '' };

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1rem; color: #1c1c1e; }
  h1 { font-size: 1.4rem; } p { margin: .75rem 0; } small, footer { color: #6b6b70; } footer { margin-top: 3rem; }
  button, a.button { font: inherit; display: block; width: 100%; box-sizing: border-box; text-align: left; margin: .4rem 0;
    padding: .6rem .9rem; border: 1px solid #c7c7cc; border-radius: .5rem; background: #fff; color: inherit; cursor: pointer; }
  a.button { text-decoration: none; }
  button:hover, button:focus-visible, a.button:hover, a.button:focus-visible { border-color: #0a66d6; outline: none; }
  @media (prefers-color-scheme: dark) {
    body { background: #1c1c1e; color: #f2f2f7; } button, a.button { background: #2c2c2e; border-color: #48484a; }
  }`;

/** A whole page. */
export function page(
  { config }: World,
  { title, content, status = 200, formsTo }: { title: string; content: Html; status?: number; formsTo?: string },
): TextAnswer {
  const platform = `${config.service.name} Cloud`;
  const { markup } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · ${platform}</title>
<style>${{ markup: style }}</style></head>
<body><main><h1>${title}</h1>
${content}
</main><footer><small>${platform}, emulated by cloudemu on this machine. Nothing here is real.</small></footer></body>
</html>
`;
  return { kind: 'text', status, text: markup, type: 'text/html; charset=utf-8', headers: headersOf(formsTo) };
}

// A form's response may redirect, and browsers require that origin in the policy as well.
function headersOf(formsTo: string | undefined): Record<string, string> {
  const targets = ["'self'", ...(formsTo === undefined ? [] : [formsTo])].join(' ');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // Without a referrer a form would send the origin `null`.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

/** Redirects a browser to a GET. */
export function redirect(url: string, headers: Record<string, string> = {}): TextAnswer {
  const lead = { Location: url, 'Cache-Control': 'no-store', ...headers };
  return { kind: 'text', status: 303, text: `See ${url}\n`, type: 'text/plain; charset=utf-8', headers: lead };
}

/**
 * The absolute URL that a client wants to return to.
 *
 * @param path the field's path in the input
 * @throws ApiError VALIDATION_ERROR for any other origin, however it is written
 */
export function returnUrl(
  { config }: World,
  wanted: string | undefined,
  { baseUrl, path }: { baseUrl: string; path: string },
): URL | undefined {
  if (wanted === undefined || wanted === '') return undefined;
  // Parsed as a browser parses it, so that both agree on its meaning.
  const read = URL.canParse(wanted, baseUrl) ? new URL(wanted, `${baseUrl}/`) : undefined;
  const isWhole = URL.canParse(wanted);
  // `http:host` means a path to a browser on such a page, and a host to everybody else.
  const url = isWhole && read?.href !== new URL(wanted).href ? undefined : read;
  if (url !== undefined && !isWhole) stayInWorld(url, new URL(baseUrl));
  const origins = [new URL(baseUrl).origin, ...config.server.corsOrigins];
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== undefined && isWeb && origins.includes(url.origin) && url.username === '' && url.password === '')
    return url;
  throw invalid({
    path,
    message: 'must lead to this emulator, or to an origin that the setting server.corsOrigins lists',
    received: describe(wanted),
  });
}

// A path alone belongs to this world, with or without the world's prefix.
function stayInWorld(url: URL, { origin, pathname }: URL): void {
  const prefix = pathname.replace(/\/+$/, '');
  const isInside = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
  if (url.origin === origin && !isInside) url.pathname = prefix + url.pathname;
}
