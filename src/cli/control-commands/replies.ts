// The commands for queued replies of models.

import type { OperationCommand } from '../operation-command.js';

export const replyCommands: readonly OperationCommand[] = [
  {
    operation: 'control.replies.list',
    line: 'replies list',
    bare: true,
    columns: 'id reply times? model?',
    examples: [['replies', 'replies that are still queued']],
  },
  {
    operation: 'control.replies.add',
    line: 'replies add [reply]',
    document: 'reply',
    wordIs: 'text',
    needs: 'replies add needs what the model is to answer: `cloudemu replies add --text "Hello"`',
    examples: [
      ['replies add "Sunny"', 'the next answer'],
      ['replies add --text "Sunny" --delay 100ms', 'token by token'],
      ['replies add --model "gpt-*" --error MODEL_UNAVAILABLE --times 3', 'the next three replies are errors'],
      [`replies add --tool-calls '[{"name": "look", "arguments": {"at": 1}}]'`, 'the next reply calls a tool'],
      ['replies add --first-delay 30s --clock wall', 'the usual reply, delayed'],
    ],
  },
  { operation: 'control.replies.clear', line: 'replies clear', examples: [['replies clear', 'after a test']] },
];
