// The frame around the views: navigation, world, clock, connection, help.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Health } from '../../worlds/health.js';
import type { WorldInfo } from '../../worlds/request.js';
import { pageOf, worldId } from './api.js';
import { ClockBar } from './components/clock-bar.js';
import { HelpDialog } from './components/help.js';
import { PastBand } from './components/past-band.js';
import { SignIn } from './components/sign-in.js';
import { Toast } from './components/toast.js';
import { useKeys } from './keys.js';
import { connection, useData } from './live.js';
import { go, hrefOf, route } from './route.js';
import { set } from './set.js';
import { toggleTheme } from './theme.js';
import { groups, views } from './views/list.js';

export function App() {
  const isHelpOpen = useSignal(false);
  const isMenuOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const view = views.find(({ path }) => path === route.value.view) ?? views[0];
  useKeys([
    { key: '?', does: 'Show this list', run: () => set(isHelpOpen, true) },
    { key: 'd', does: 'Switch dark or light', run: toggleTheme },
    ...views.flatMap(({ key, title, path }) =>
      key === undefined ? [] : [{ key, does: `Go to ${title}`, run: () => go({ view: path }) }],
    ),
  ]);
  useEffect(() => {
    document.title = `${view?.title ?? ''} · ${worldId === 'default' ? '' : `${worldId} · `}cloudemu`;
    isMenuOpen.value = false;
  }, [view]);
  return (
    <div class={`frame ${isMenuOpen.value ? 'open' : ''}`}>
      <button type="button" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <nav aria-label="Views">
        <div class="lead">
          <span aria-hidden="true" />
          cloudemu
        </div>
        {groups.map((group) => (
          <div key={group}>
            {group !== '' && <h2>{group}</h2>}
            {views
              .filter((one) => one.group === group)
              .map(({ path, title, key }) => (
                <a
                  key={path}
                  href={hrefOf({ view: path })}
                  data-key={key}
                  aria-current={path === view?.path ? 'page' : undefined}
                >
                  {title}
                </a>
              ))}
          </div>
        ))}
        <div>
          <a href="reference">Reference</a>
          <button type="button" class="quiet" onClick={toggleTheme}>
            Switch dark or light
          </button>
          <button type="button" class="quiet" onClick={() => set(isHelpOpen, true)}>
            Keyboard
          </button>
        </div>
      </nav>
      <header>
        <button
          type="button"
          class="quiet"
          aria-label="Views"
          aria-expanded={isMenuOpen.value}
          onClick={() => set(isMenuOpen, !isMenuOpen.value)}
        >
          ☰
        </button>
        <Owner />
        <WorldSwitch />
        <ClockBar />
        <Connection />
      </header>
      <div>{connection.value !== 'locked' && <PastBand />}</div>
      <main id="main" ref={main} tabIndex={-1}>
        {connection.value === 'locked' ? <SignIn /> : view !== undefined && <view.component key={view.path} />}
      </main>
      <Toast />
      <HelpDialog isOpen={isHelpOpen} />
    </div>
  );
}

// Of several dashboards in one browser: whose emulator this is.
function Owner() {
  const { value } = useData<Health>('/health', []);
  if (value === undefined) return null;
  const { name, root } = value.identity;
  return (
    <strong class="ample" title={root}>
      {name}
    </strong>
  );
}

function WorldSwitch() {
  const { value } = useData<{ worlds: WorldInfo[] }>('/worlds', ['control']);
  const worlds = value?.worlds ?? [];
  const all = worlds.some(({ id }) => id === worldId) ? worlds : [{ id: worldId, label: null }, ...worlds];
  return (
    <div class={all.length > 1 ? 'lead' : 'lead ample'}>
      <span class="ample faint" aria-hidden="true">
        World
      </span>
      <select
        aria-label="World"
        value={worldId}
        onChange={({ currentTarget }) => location.assign(pageOf(currentTarget.value) + location.hash)}
      >
        {all.map(({ id, label }) => (
          <option key={id} value={id}>
            {label ?? id}
          </option>
        ))}
      </select>
    </div>
  );
}

const connections = {
  live: ['Live', 'good'],
  connecting: ['Reconnecting…', 'warning'],
  locked: ['Locked', 'bad'],
};

function Connection() {
  const [text, tone] = connections[connection.value];
  return (
    <span class={`lead ${tone}`} role="status">
      <span class="ample">{text}</span>
    </span>
  );
}
