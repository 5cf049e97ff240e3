// The commands for the images of the registry.

import { printImage } from '../image-text.js';
import type { OperationCommand } from '../operation-command.js';

export const imageCommands: readonly OperationCommand[] = [
  {
    operation: 'control.images.list',
    line: 'image list',
    bare: true,
    columns: 'uri platforms size pushedAt containers',
    examples: [['image list', 'the images, and the containers that run them']],
  },
  {
    operation: 'control.images.get',
    line: 'image show <image>',
    examples: [['image show web:v1', 'its layers, platforms, entry point and labels']],
    print: printImage,
  },
  {
    operation: 'control.images.make',
    line: 'image make <repository>',
    examples: [
      ['image make web --tag v1 --platforms linux/amd64', 'as if it had been pushed, for one platform only'],
      ['image make web --labels team=web,stage=beta', 'with labels, as its config has them'],
      ['image make web --tag v2 --exposed-ports 3000 --size 8', 'for two platforms, with a layer of 8 MB'],
    ],
  },
  {
    operation: 'control.images.remove',
    line: 'image remove <image>',
    examples: [['image remove web:v1', 'removes the tag; with the last tag, the layers are deleted']],
  },
];
