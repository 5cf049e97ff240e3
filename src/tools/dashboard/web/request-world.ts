// The world whose journal has the request that is shown: at a point of the past it is another one than that of the page.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Data, type Topic, useData } from './live.js';

/** undefined: the world of the page. */
export const RequestWorld = createContext<string | undefined>(undefined);

/** Reads what belongs to the request that is shown. */
export function useRequestData<Result>(path: string, topics: readonly Topic[] = [], query?: object): Data<Result> {
  return useData<Result>(path, topics, query, useContext(RequestWorld));
}
