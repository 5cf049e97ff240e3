// The dashboard in the browser.

import { render } from 'preact';
import { App } from './app.js';
import './cut-texts.js';
import { connect } from './live.js';

const place = document.querySelector('#app');
if (place !== null) {
  place.textContent = '';
  render(<App />, place);
}
void connect();
