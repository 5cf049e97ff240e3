// What costs credits as time passes, as billing shows it.

import type { World } from '../../world/world.js';

/** A resource with its price. */
export interface Resource {
  resourceType: 'container' | 'agent_sandbox';
  resourceId: string;
  name: string;
  status: string;
  billingStatus: string;
  unitPrice: number;
  billingInterval: 'day' | 'hour';
  lastBilledAt: string | null;
  nextBillingAt: string | null;
  estimatedNextBillingAt: string | null;
  totalBilled: number;
  cancelEndpoint: string;
  cancelAction: 'stop' | 'suspend_billing';
  metadata: Record<string, unknown>;
}

/** What has become of a resource that was cancelled. */
export interface Cancelled {
  resourceType: Resource['resourceType'];
  resourceId: string;
  action: 'stop' | 'delete' | 'suspend_billing';
  status: string;
  message: string;
}

const base = '/api/v1/billing/resources';

/** The path that stops a resource, in its world. */
export function cancelEndpointOf({ prefix }: World, type: Resource['resourceType'], id: string): string {
  return `${prefix}${base}/${id}/cancel?resourceType=${type}`;
}
