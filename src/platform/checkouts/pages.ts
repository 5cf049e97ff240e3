// The page on which a person pays a checkout with virtual money.

import { toCredits } from '../../core/money.js';
import type { TextAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { html, page } from '../sessions/pages.js';
import { type CheckoutStatus, successUrlOf } from './checkout.js';
import type { Checkout } from './store.js';

/** @param prefix of the world's paths */
export function checkoutPage(
  world: World,
  { checkout, status, prefix }: { checkout: Checkout; status: CheckoutStatus; prefix: string },
): TextAnswer {
  const { id, amount, organization_id, cancel_url } = checkout;
  const organization = findOrganization(world.db, organization_id)?.name ?? '';
  const title = `Pay $${toCredits(amount)}`;
  const back = html`<a class="button" href="${cancel_url}">Cancel, and go back</a>`;
  if (status === 'paid') {
    const content = html`<p>This was paid. The credits of ${organization} are there.</p>
<a class="button" href="${successUrlOf(checkout).href}">Go on</a>`;
    return page(world, { title: 'Paid', content });
  }
  if (status === 'expired')
    return page(world, { title: 'Expired', content: html`<p>Nobody has paid this within a day.</p>${back}` });
  const content = html`<p>Credits for ${organization}. No card is asked for, and no money moves.</p>
<form method="post" action="${prefix}/checkout/sessions/${id}"><button>Pay $${toCredits(amount)}</button></form>
${back}`;
  return page(world, { title, content, formsTo: successUrlOf(checkout).origin });
}
