// The dashboard's pages (itself and the reference) and their assets, under /_emulator/: read from the package when they are first asked for.

import { extname, join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/errors.js';
import { filesIn, packageRoot, readText } from '../../core/files.js';
import { typedName, typedTarget } from '../../core/typed-command.js';
import { escapeHtml } from '../../core/visible.js';
import { readBody } from '../../http/body.js';
import { controlCookie, controlCookieAge, guardOrigin, guardToken } from '../../http/control-guard.js';
import type { Endpoint } from '../../http/endpoint.js';
import { readCall } from '../../http/read-request.js';
import { replyError } from '../../http/reply.js';
import { RequestContext, type WorldRequest } from '../../http/request-context.js';
import { cameByOwnPort } from '../../http/request-world.js';
import { allowedMethods } from '../../http/routes.js';

const folder = join(packageRoot, 'dist/dashboard');

const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const signIn = {
  body: z.strictObject({ token: z.string().min(1).max(1_000).describe('The control token') }),
} as unknown as Endpoint;

/** Serves the dashboard of an emulator with these settings. */
export function createDashboardSite(config: Config): (request: WorldRequest) => Promise<void> {
  const texts = new Map<string, string>();
  let names: ReadonlySet<string> | undefined;

  function send(ctx: WorldRequest['ctx'], name: string, caching: string): void {
    names ??= new Set(filesIn(folder));
    if (!names.has(name))
      throw new ApiError('NOT_FOUND', { message: `The dashboard has no file ${name.slice(0, 100)}` });
    const text = texts.get(name) ?? readText(join(folder, name));
    texts.set(name, text);
    ctx.set({ ...pageHeaders, 'Cache-Control': caching });
    ctx.type = extname(name);
    ctx.body = name === 'index.html' ? withCommand(ctx, text) : text;
  }
  // The page copies commands that begin as this emulator's did, and name it. The name may be a path of this machine, which is for those
  // alone who may control the emulator.
  function withCommand(ctx: WorldRequest['ctx'], page: string): string {
    try {
      guardToken(ctx, config);
    } catch {
      return page;
    }
    const facts = { command: typedName(), target: typedTarget() };
    const attributes = Object.entries(facts).map(([name, text]) =>
      text === '' ? '' : `data-${name}="${escapeHtml(text)}" `,
    );
    return page.replace('<html ', () => `<html ${attributes.join('')}`);
  }
  // The token is taken once and kept in a cookie that no script can read; what the cookie holds is not the token.
  async function takeToken(context: RequestContext): Promise<void> {
    const { ctx } = context;
    const { body } = readCall(context, signIn, await readBody(context, signIn), { strict: true });
    const { token } = body as { token: string };
    guardToken(ctx, config, token);
    const secure = ctx.protocol === 'https' ? '; Secure' : '';
    // The port of a world is none of those that the public URL leads to.
    const publicUrl = cameByOwnPort(ctx.req) ? null : config.server.publicUrl;
    const base = new URL(publicUrl ?? 'http://localhost').pathname.replace(/\/+$/, '');
    const cookie = controlCookie(config);
    // Only where dashboards are: the emulator's own and those of worlds.
    const cookies = [`${base}/_emulator`, `${base}/w`].map(
      (path) => `${cookie}; Path=${path}; Max-Age=${controlCookieAge}; HttpOnly; SameSite=Strict${secure}`,
    );
    ctx.set('Set-Cookie', cookies);
    ctx.status = 204;
  }

  return async (request) => {
    const { ctx, path } = request;
    const context = new RequestContext(request, undefined);
    ctx.set('Cache-Control', 'no-store');
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    try {
      // The page holds no data: a link from anywhere may lead to it. What it asks for is guarded.
      guardOrigin(ctx, config, isRead && ctx.get('sec-fetch-mode') === 'navigate');
      if (path === '/_emulator/session') {
        if (ctx.method !== 'POST') throw notAllowed('POST');
        return await takeToken(context);
      }
      if (!isRead) throw notAllowed('GET');
      if (path.startsWith('/_emulator/assets/'))
        return send(ctx, path.slice('/_emulator/assets/'.length), 'public, max-age=31536000, immutable');
      // Its links are relative to the folder.
      if (path === '/_emulator') return ctx.redirect(`${context.baseUrl}/_emulator/${ctx.search}`);
      if (path === '/_emulator/reference/') return ctx.redirect(`${context.baseUrl}/_emulator/reference${ctx.search}`);
      send(ctx, path === '/_emulator/reference' ? 'reference.html' : 'index.html', 'no-store');
    } catch (error) {
      if (ctx.res.destroyed) return;
      await replyError(context, error);
    }
  };
}

function notAllowed(method: string): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', {
    message: `Use ${method} here`,
    headers: { Allow: allowedMethods([method]).join(', ') },
  });
}
