import { send } from './http.mjs';

export const userName = async (cloud) => (await send(cloud, 'GET', '/v1/user')).data.name;

/** The balance in credits. */
export const balance = async (cloud) => (await send(cloud, 'GET', '/v1/credits/balance')).balance;

/** How many requests of chats were used. */
export const usage = async (cloud) => (await send(cloud, 'GET', '/quotas/usage')).usage.chat.used;
