// Loaded into a command: its servers never begin to listen, so that a start has begun and is not ready.
require('node:net').Server.prototype.listen = function listen() {
  return this;
};
