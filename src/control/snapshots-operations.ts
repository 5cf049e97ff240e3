// The control operations of snapshots, and the reset to the world's initial state.

import * as z from 'zod';
import { exportOptions, portableSnapshot, snapshotName } from '../modules/snapshots/controls.js';
import { resetRequest } from '../modules/worlds/reset.js';
import { clockView } from './clock-operations.js';
import { type ControlOperation, control, listed } from './operation.js';

const info = z.object({ name: z.string(), takenAt: z.string(), now: z.string() });
const listedInfo = z.object({
  name: z.string(),
  takenAt: z.string().nullable(),
  now: z.string().nullable(),
  problem: z.string().nullable().describe('Why the snapshot’s file cannot be used'),
});
const byName = z.object({ name: z.string() });

export const snapshotOperations: readonly ControlOperation[] = [
  control({
    id: 'control.reset',
    method: 'POST',
    path: '/_emulator/reset',
    summary: 'Reset the world to its initial state, including clock and scenario',
    body: resetRequest,
    bodyOptional: true,
    response: clockView,
    act: (controls, { body }) => controls.reset(body),
  }),
  control({
    id: 'control.snapshots.list',
    method: 'GET',
    path: '/_emulator/snapshots',
    summary: 'List the snapshots of the world',
    response: listed('snapshots', listedInfo),
    act: (controls) => controls.snapshots.list(),
  }),
  control({
    id: 'control.snapshots.take',
    method: 'POST',
    path: '/_emulator/snapshots',
    summary: 'Take a snapshot of the whole world under a name',
    body: z.object({ name: snapshotName }),
    response: info,
    act: (controls, { body }) => controls.snapshots.take(body),
  }),
  control({
    id: 'control.snapshots.import',
    method: 'POST',
    path: '/_emulator/snapshots/import',
    summary: 'Import an exported snapshot',
    body: portableSnapshot,
    response: info.extend({
      missingBlobs: z.array(z.string()).describe('Layers that its images lack: push them again before pulling'),
    }),
    act: (controls, { body }) => controls.snapshots.import(body),
  }),
  control({
    id: 'control.snapshots.restore',
    method: 'POST',
    path: '/_emulator/snapshots/{name}/restore',
    summary: 'Restore a snapshot; it can be restored repeatedly',
    params: byName,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: info,
    act: (controls, { params }) => controls.snapshots.restore(params.name),
  }),
  control({
    id: 'control.snapshots.export',
    method: 'GET',
    path: '/_emulator/snapshots/{name}/export',
    summary: 'Export a snapshot as one portable document',
    params: byName,
    query: exportOptions,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: portableSnapshot,
    act: (controls, { params, query }) => controls.snapshots.export(params.name, query),
  }),
  control({
    id: 'control.snapshots.remove',
    method: 'DELETE',
    path: '/_emulator/snapshots/{name}',
    summary: 'Delete a snapshot',
    params: byName,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: z.object({ removed: z.string() }),
    act: (controls, { params }) => controls.snapshots.remove(params.name),
  }),
];
