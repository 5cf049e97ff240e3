// What clients were charged, whatever was returned to them because they ended something early: that is a matter of time.

/** A movement of credits, as far as this is concerned. */
interface Movement {
  type: string;
  amount: number;
  reason: string;
}

export interface Charges {
  /** All charges, without what was reserved and not used. */
  charged: number;
  /** The part that was returned because what it paid for has failed. */
  returned: number;
}

const byCard = /^Checkout of \$([\d.]+)$/;

/** Dollars that were paid by card for credits. */
export function paidByCard(movements: readonly Movement[]): number {
  return movements.reduce(
    (sum, { type, reason }) => sum + (type === 'topup' ? Number(byCard.exec(reason)?.[1] ?? 0) : 0),
    0,
  );
}

const unused = /: (?:not used|never ended)$/;
const failed = / failed$/;

/** The charges among movements of credits. The price of a container that was deleted early counts, although it was returned. */
export function chargesIn(movements: readonly Movement[]): Charges {
  let charged = 0;
  let returned = 0;
  for (const { type, amount, reason } of movements) {
    if (type === 'charge' || (type === 'refund' && unused.test(reason))) charged -= amount;
    if (type === 'refund' && failed.test(reason)) returned += amount;
  }
  return { charged, returned };
}
