// The pages for signing in and out, and for completing the login of a command-line client.

import type { ApiError, FieldProblem } from '../../core/errors.js';
import type { TextAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';
import type { User } from '../accounts/store.js';
import { type Html, html, nothing, page } from './html.js';

/** A user to sign in as. */
export interface Candidate {
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
