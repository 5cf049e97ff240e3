// The page that the address of a pairing leads to: it pairs by a button, and shows the key that it got.

import type { TextAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { html, page } from '../sessions/pages.js';
import type { Paired } from './tokens.js';

/** The page before the pairing. */
interface PairView {
  agentId: string;
  /** The agent's name; undefined: the token cannot be used. */
  agentName: string | undefined;
  /** The prefix of the world's paths. */
  prefix: string;
}

/** Asks whether this page is to be paired, or says how to get a token that can be used. */
export function pairPage(world: World, { agentId, agentName, prefix }: PairView): TextAnswer {
  if (agentName === undefined) {
    const path = `${prefix}/api/v1/eliza/agents/${encodeURIComponent(agentId)}`;
    const content = html`<p>The token in the address of this page is unknown, was used, or has expired: it can be used once, within
60 seconds of virtual time.</p>
<p>Get another one with <code>POST ${path}/pairing-token</code>, or with <code>cloudemu pairing create --agent-id ${agentId}</code>.</p>`;
    return page(world, { title: 'This token cannot be used', content });
  }
  // The form goes to the address of the page, which has the token: the markup, which the journal keeps, has it not.
  const content = html`<p>The page of ${agentName} asks for an API key. On the platform the agent’s own page does this.</p>
<form method="post"><button>Pair</button></form>`;
  return page(world, { title: `Pair with ${agentName}`, content });
}

/** Shows the key, once. */
export function pairedPage(world: World, { apiKey, agent }: Paired): TextAnswer {
  const content = html`<p>The page of ${agent.name} has this API key, which is shown once:</p>
<p><code>${apiKey}</code></p>`;
  return page(world, { title: `Paired with ${agent.name}`, content });
}
