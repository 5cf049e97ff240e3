// The frame around the views: navigation, world, point of the history, clock, connection, sign-in, help.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Health } from '../../worlds/health.js';
import type { WorldInfo } from '../../worlds/request.js';
import { pageOf, worldId } from './api.js';
import { steps } from './components/form.js';
import { attempt, Select, ShownView, Toast } from './components/parts.js';
import { PastBand } from './components/past.js';
import { SignIn } from './components/sign-in.js';
import { call, clock, commandOf, connection, type Input, now, setClock, useData } from './emulator.js';
import { currentBindings, go, hrefOf, route, set, useKeys } from './page.js';
import { dayText, timeText } from './text.js';
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
        {Object.entries(groups).map(([group, own]) => (
          <div key={group}>
            {group !== '' && <h2>{group}</h2>}
            {own.map(({ path, title, key }) => (
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
        {connection.value === 'locked' ? (
          <SignIn />
        ) : (
          view !== undefined && (
            <ShownView.Provider value={view}>
              <view.component key={view.path} />
            </ShownView.Provider>
          )
        )}
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
      <Select
        aria-label="World"
        value={worldId}
        options={all.map(({ id, label }) => [id, label ?? id])}
        onPick={(id) => location.assign(pageOf(id) + location.hash)}
      />
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

const change = async (operation: string, input: Input): Promise<void> => setClock(await call(operation, input));

function ClockBar() {
  const step = useSignal('10s');
  const switching = clock.value?.frozen === true ? 'clock.resume' : 'clock.freeze';
  const toggle = (): void => void attempt(() => change(switching, {}));
  const advance = (): void => void attempt(() => change('clock.advance', { by: step.value }));
  useKeys([
    { key: 'f', does: 'Freeze or resume the clock', run: toggle },
    { key: 'a', does: 'Advance the clock by the step', run: advance },
  ]);
  const view = clock.value;
  if (view === undefined || now.value === undefined) return <div />;
  return (
    <div class="lead">
      <time dateTime={new Date(now.value).toISOString()} title="Virtual time, UTC">
        <span class="faint ample">{dayText(now.value)}</span> <strong>{timeText(now.value)}</strong>
      </time>
      <span class="ahead ample">{view.frozen ? 'frozen' : view.speed === 1 ? '' : `× ${view.speed}`}</span>
      <button type="button" title={commandOf(switching, {})} onClick={toggle}>
        {view.frozen ? 'Run' : 'Freeze'}
      </button>
      <span class="lead">
        <button type="button" title={commandOf('clock.advance', { by: step.value })} onClick={advance}>
          Advance
        </button>
        <Select aria-label="Step" value={step.value} options={steps} onPick={(by) => set(step, by)} />
      </span>
    </div>
  );
}

const names: Record<string, string> = { ' ': 'Space', Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑', Enter: '⏎' };

const show = (dialog: HTMLDialogElement | null): void => dialog?.showModal();

function HelpDialog({ isOpen }: { isOpen: Signal<boolean> }) {
  if (!isOpen.value) return null;
  const keysOf = new Map<string, string[]>();
  for (const [key, does] of new Map(currentBindings().map(({ key, does }) => [key, does])))
    keysOf.set(does, [...(keysOf.get(does) ?? []), key]);
  return (
    <dialog ref={show} aria-label="Keys" onClose={() => set(isOpen, false)}>
      <h2>Keys</h2>
      <dl>
        {[...keysOf].map(([does, keys]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{names[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
