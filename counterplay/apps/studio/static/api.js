// Asking the server: requests that are answered at once, and a socket for what takes thought. All addresses are
// relative, so that they begin with the token that this page was opened with.
import { say } from "./dom.js";

async function ask(path, options) {
  const answer = await fetch(path, options);
  const said = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(said.error || `the server answered ${answer.status}`);
  return said;
}

export const get = (path) => ask(path);
export const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
export const text = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.text();
};

/** What a listener or a click does, with errors said to the person. */
export const careful = (work) => async (...given) => {
  try {
    return await work(...given);
  } catch (error) {
    say(error.message);
  }
};

class Socket {
  constructor() {
    this.asked = new Map();
    this.next = 1;
    this.watched = null;
    this.onTable = () => {};
    this.tries = 0;
    this.open();
  }

  open() {
    const address = new URL("live", location.href.split("#")[0]);
    address.protocol = "ws:";
    this.socket = new WebSocket(address);
    this.socket.onopen = () => {
      this.tries = 0;
      if (this.watched) this.send({ watch: this.watched });
    };
    this.socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.socket.onclose = () => {
      for (const each of this.asked.values()) each.failed?.("the server has gone");
      this.asked.clear();
      if (this.tries++ < 5) setTimeout(() => this.open(), 400 * 2 ** this.tries);
      else say("The server has gone. Start it again and open the address that it prints: your games are kept.");
    };
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  hear(message) {
    if (message.table) return this.onTable(message.table);
    const listener = this.asked.get(message.id);
    if (!listener) return message.failed && say(message.failed);
    if ("progress" in message) return listener.progress?.(message.progress);
    this.asked.delete(message.id);
    if ("done" in message) listener.done?.(message.done);
    else (listener.failed ?? say)(message.failed);
  }

  /** Hear of a table from now on; of none, without an id. */
  watch(id, onTable = () => {}) {
    this.watched = id;
    this.onTable = onTable;
    this.send({ watch: id });
  }

  /** Have something thought about; what is returned ends it. */
  ask(what, listener) {
    const id = this.next++;
    this.asked.set(id, listener);
    const send = () => this.socket.readyState === WebSocket.OPEN ? this.send({ ...what, id }) : setTimeout(send, 100);
    send();
    return () => {
      if (this.asked.delete(id)) this.send({ stop: id });
    };
  }

  /** The same as a promise. */
  answer(what, progress) {
    return new Promise((done, failed) => this.ask(what, { done, progress, failed: (why) => failed(new Error(why)) }));
  }
}

export const socket = new Socket();
