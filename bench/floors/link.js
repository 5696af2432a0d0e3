import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { packed, unpacked } from "./log.js";

const STREAM = "floor";
const SUBJECT = "floor.log";
const CIPHER = "aes-256-gcm";
const [NONCE, TAG, SIGNATURE] = [12, 16, 64];
const HEARTBEAT_NS = 5_000_000_000;
/** The status of heartbeats and of requests for flow control. */
const CONTROL = 100;

/**
 * Links a machine to others through JetStream. Each message is encrypted with the key of all, and signed by its machine.
 * @param {string} file JSON: { url, machine, key, secret, machines: { [name]: public key } }
 * @param {number} from The number of the first message that this machine lacks.
 * @param {(entries: import("./log.js").Entry[], last: number) => void} took Gets the entries of the messages that came
 * together, and the number of the last.
 * @param {() => void} idle Called when no other message waits.
 */
export async function openLink(file, from, took, idle) {
  const { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const { connect, createInbox } = await import("@nats-io/transport-node");
  const { url, machine, ...parts } = JSON.parse(readFileSync(file, "utf8"));
  const envelope = new Envelope(parts);
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: STREAM, subjects: [`${SUBJECT}.*`] });

  let arrived = [];
  const take = () => {
    const messages = arrived;
    arrived = [];
    const others = messages.filter(({ sender }) => sender !== machine);
    const entries = others.flatMap(({ sender, data }) => unpacked(envelope.open(sender, data)));
    if (entries.length > 0) took(entries, messages.at(-1).number);
    setImmediate(() => {
      if (arrived.length === 0) idle();
    });
  };
  const inbox = createInbox();
  connection.subscribe(inbox, {
    callback: (_error, msg) => {
      if (msg.headers?.code === CONTROL) return void msg.respond();
      if (arrived.length === 0) setImmediate(take);
      const number = Number(msg.reply.split(".")[5]);
      arrived.push({ sender: msg.subject.slice(SUBJECT.length + 1), data: msg.data, number });
    },
  });
  await manager.consumers.add(STREAM, {
    deliver_subject: inbox,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    ack_policy: AckPolicy.None,
    flow_control: true,
    idle_heartbeat: HEARTBEAT_NS,
  });

  const client = jetstream(connection);
  let unsent = 0;
  return {
    /** The number of messages that the server does not have yet. */
    get waiting() {
      return unsent;
    },
    /** Sends entries to the other machines. */
    async publish(entries) {
      unsent++;
      await client.publish(`${SUBJECT}.${machine}`, envelope.seal(packed(entries)));
      unsent--;
    },
  };
}

/** Seals and opens messages: nonce, encrypted bytes, tag, signature. */
class Envelope {
  #key;
  #secret;
  #machines;

  constructor({ key, secret, machines }) {
    const der = (text) => ({ key: Buffer.from(text, "base64"), format: "der" });
    this.#key = Buffer.from(key, "base64");
    this.#secret = createPrivateKey({ ...der(secret), type: "pkcs8" });
    const open = ([name, text]) => [name, createPublicKey({ ...der(text), type: "spki" })];
    this.#machines = new Map(Object.entries(machines).map(open));
  }

  seal(payload) {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    const body = Buffer.concat([nonce, cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
    return Buffer.concat([body, sign(null, body, this.#secret)]);
  }

  open(sender, bytes) {
    const [body, signature] = [bytes.subarray(0, -SIGNATURE), bytes.subarray(-SIGNATURE)];
    if (!verify(null, body, this.#machines.get(sender), signature))
      throw new Error(`${sender} did not sign a message`);
    const decipher = createDecipheriv(CIPHER, this.#key, body.subarray(0, NONCE));
    decipher.setAuthTag(body.subarray(-TAG));
    return Buffer.concat([decipher.update(body.subarray(NONCE, -TAG)), decipher.final()]);
  }
}
