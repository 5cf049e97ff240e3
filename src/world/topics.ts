// What a world announces on its bus.

/** The topic that announces the end of a world to its open streams. */
export const closing = 'closing';
/** The topic that announces that all data were replaced: by a restore, a reset, a scenario. */
export const replaced = 'replaced';
/** The topic that announces that the clock was frozen, advanced or changed otherwise. */
export const clockChanged = 'clock';
