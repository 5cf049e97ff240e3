// The verbs for what models answer next.

import type { OperationCommand } from '../operation-command.js';

export const replyCommands: readonly OperationCommand[] = [
  {
    door: 'control.replies.list',
    line: 'replies list',
    bare: true,
    columns: 'id reply times? model?',
    examples: [['replies', 'what is still to come']],
  },
  {
    door: 'control.replies.add',
    line: 'replies add [reply]',
    document: 'reply',
    wordIs: 'text',
    needs: 'replies add needs what the model is to answer: `cloudemu replies add --text "Hello"`',
    examples: [
      ['replies add "Sunny"', 'the next answer'],
      ['replies add --text "Sunny" --delay 100ms', 'token by token'],
      ['replies add --model "gpt-*" --error MODEL_UNAVAILABLE --times 3', 'three failures'],
      [`replies add --tool-calls '[{"name": "look", "arguments": {"at": 1}}]'`, 'a tool is called'],
      ['replies add --first-delay 30s --clock wall', 'the usual answer, late'],
    ],
  },
  { door: 'control.replies.clear', line: 'replies clear', examples: [['replies clear', 'after a test']] },
];
