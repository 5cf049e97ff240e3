// What has become of a container, in a sentence.

import type { Tree } from '../core/tree.js';
import type { ControlledContainer } from '../modules/containers/control.js';
import { listFailures } from '../modules/containers/failures.js';
import type { Values } from './command.js';
import { printJson, printLine } from './print.js';

/** Prints what a container now is, and where to read more. */
export function printContainer(answer: Tree, { json, mode }: Values): void {
  const container = answer as unknown as ControlledContainer;
  if (json === true) printJson(answer);
  else printLine(containerText(container, typeof mode === 'string' ? mode : undefined));
}

/** @param mode the failure mode that it was just made to fail in */
export function containerText(container: ControlledContainer, mode?: string): string {
  const { project_name: name, status, since, error } = container;
  const more = `\`cloudemu container show ${name}\` shows its history.`;
  if (status !== 'failed') return `Container ${name} is ${status} since ${since}. ${more}`;
  const failure = listFailures().find((one) =>
    mode === undefined ? one.mode === container.mode || one.message === error : one.mode === mode,
  );
  if (failure === undefined) return `Container ${name} failed: ${error ?? 'no reason is known'}. ${more}`;
  const title = failure.title.replace(/^\w/, (letter) => letter.toLowerCase());
  return `Container ${name} failed: ${title} (failure mode ${failure.mode}). Clients read "${error ?? ''}". ${more}`;
}
