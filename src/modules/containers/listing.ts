// The list of an organization's containers as JSON text, in pages that are kept until one of their containers changes.

import type { Config } from '../../config/schema.js';
import { nextTurn } from '../../core/clock.js';
import { cached } from '../../db/cached-reads.js';
import { fromText, type JsonAnswer, type LaterAnswer, type PiecesAnswer } from '../../http/response.js';
import { openAddresses, withoutPort } from './open-addresses.js';
import { presentContainer, type View } from './present.js';
import { billedUntil } from './present-billing.js';
import { presentNewer } from './present-v2.js';
import { type ContainerRecord, pageContainers } from './store.js';
import { timelineOf } from './timeline.js';

interface Page {
  /** Its containers, with commas between. */
  text: string;
  /** The instants from and until which it is the same. */
  from: number;
  until: number;
  /** The settings that it was made under. */
  config: Config;
  /** The number of its last container. */
  last: number;
  isLast: boolean;
  /** The whole list, where it is all of it. */
  answer?: JsonAnswer;
}

/** A place for a page: empty again when a container, or what is billed for it, is written. */
interface Slot {
  page?: Page;
}

// A page of 20 takes 250 µs to make, and 2 µs from here.
const slots = cached(['containers', 'deployments'], (_db, _key: string): Slot => ({}));
const billedSlots = cached(['containers', 'deployments', 'ledger'], (_db, _key: string): Slot => ({}));
/** The number of pages of one list that are kept: each takes 60 KB, so the later pages of longer lists are made anew. */
const mostKept = 20;

/** Answers with all containers of the caller's organization, the newest first: of many, as they are read. */
export function answerList(view: View, organizationId: string): JsonAnswer | PiecesAnswer | LaterAnswer {
  const first = pageOf(view, organizationId, Infinity, 0);
  if (Array.isArray(first)) {
    const ready = async () => {
      await openAddresses(view.world, first, view.now);
      return list(view, organizationId, pageOf(view, organizationId, Infinity, 0, true));
    };
    return { kind: 'later', ready };
  }
  return list(view, organizationId, first);
}

const head = '{"success":true,"data":[';
const end = ']}';

function list(view: View, organizationId: string, first: Page): JsonAnswer | PiecesAnswer {
  if (first.isLast) {
    first.answer ??= fromText(`${head}${first.text}${end}`);
    return first.answer;
  }
  return { kind: 'pieces', status: 200, pieces: piecesFrom(view, organizationId, first) };
}

// Containers that come later are newer than all that are still to be read; those that go are left out.
async function* piecesFrom(view: View, organizationId: string, first: Page): AsyncGenerator<string> {
  const { world, now } = view;
  const { epoch } = world;
  yield `${head}${first.text}`;
  let page = first;
  for (let number = 1; !page.isLast; number++) {
    // Others get their turn between two pages, each of which takes 3 ms.
    await nextTurn();
    if (world.epoch !== epoch) throw new Error('the world was reset while its containers were being listed');
    let next = pageOf(view, organizationId, page.last, number);
    if (Array.isArray(next)) {
      await openAddresses(world, next, now);
      next = pageOf(view, organizationId, page.last, number, true);
    }
    page = next;
    if (page.text !== '') yield `,${page.text}`;
  }
  yield end;
}

/** A page, or the containers that need a port before it can be shown. */
function pageOf(view: View, organizationId: string, before: number, number: number, areOpen: true): Page;
function pageOf(view: View, organizationId: string, before: number, number: number): Page | ContainerRecord[];
function pageOf(view: View, organizationId: string, before: number, number: number, areOpen?: true) {
  const { world, now, baseUrl } = view;
  const { db, config } = world;
  const key = `${organizationId} ${before} ${baseUrl}`;
  const slot = number < mostKept ? (config.billing.daily ? billedSlots : slots)(db, key) : {};
  const known = slot.page;
  if (known?.config === config && known.from <= now && now < known.until) return known;
  const { records, isLast } = pageContainers(db, organizationId, Math.min(before, Number.MAX_SAFE_INTEGER));
  const closed = areOpen ? [] : withoutPort(world, records, now);
  if (closed.length > 0) return closed;
  const present = config.contract === 'v2' ? presentNewer : presentContainer;
  const page: Page = {
    text: records.map((record) => JSON.stringify(present(record, view))).join(','),
    from: now,
    until: Math.min(...records.map((record) => sameUntil(view, record))),
    config,
    last: records.at(-1)?.seq ?? 0,
    isLast,
  };
  slot.page = page;
  return page;
}

// When a container looks different the next time, unless it is written before.
function sameUntil({ world, now }: View, record: ContainerRecord): number {
  let until = billedUntil(world, record, now);
  for (const deployment of record.deployments) {
    // The deployment changed after the request began, and the response shows it as it was.
    if ((deployment.interventions.at(-1)?.at ?? now) > now) return now;
    for (const { at } of deployment.timeline ?? timelineOf(deployment)) if (at > now) until = Math.min(until, at);
  }
  return until;
}
