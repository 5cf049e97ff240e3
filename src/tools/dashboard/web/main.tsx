// The dashboard in the browser.

import { render } from 'preact';
import { App } from './app.js';
import { connect } from './emulator.js';

const place = document.querySelector('#app');
if (place !== null) {
  place.textContent = '';
  render(<App />, place);
}
void connect();

// Whatever is cut for lack of room is shown in full while the pointer is on it.
document.addEventListener('mouseover', ({ target }) => {
  for (let place = target; place instanceof HTMLElement; place = place.parentElement) {
    if (getComputedStyle(place).textOverflow !== 'ellipsis') continue;
    if (place.scrollWidth > place.clientWidth) place.title = place.textContent ?? '';
    else place.removeAttribute('title');
    return;
  }
});
