// Beyond loopback: the control token is taken once. The emulator keeps it in a cookie that no script can read.

import { useSignal } from '@preact/signals';
import { request } from '../api.js';
import { connect, connection, refusal } from '../emulator.js';
import { set } from '../page.js';
import { attempt } from './parts.js';

export function SignIn() {
  const token = useSignal('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!(await attempt(() => request('POST', '/session', { body: { token: token.value } })))) return;
    token.value = '';
    connection.value = 'connecting';
    await connect();
  };
  const needsToken = refusal.value.includes('Authorization');
  return (
    <div class="body">
      <h1>{needsToken ? 'Control token' : 'Not from here'}</h1>
      <p>{needsToken ? 'From another machine the control plane needs its token.' : refusal.value}</p>
      {needsToken && (
        <form class="stack" onSubmit={submit}>
          <input
            type="password"
            aria-label="Control token"
            autocomplete="current-password"
            value={token.value}
            onInput={({ currentTarget }) => set(token, currentTarget.value)}
          />
          <button type="submit" class="primary">
            Open the dashboard
          </button>
          <p class="faint">It is the value of --control-token, or of server.controlToken in the settings.</p>
        </form>
      )}
    </div>
  );
}
