import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { type OwnNats, startOwnNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from 'nats';
import { natsOptions } from '../src/index.ts';

let nats: OwnNats;
beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());

/** A way to the server that takes and keeps connections when it is frozen, and carries nothing any more. */
async function openDoor() {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const door = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    if (isFrozen) return void client.pause();
    const server = connectTo(Number(new URL(nats.url).port), '127.0.0.1');
    server.on('error', () => undefined);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const { port } = door.address() as AddressInfo;
  return {
    url: `nats://127.0.0.1:${port}`,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => door.close(resolve));
    },
  };
}

test('behavior: who is connected to a server that stands still goes to another one', async () => {
  const doors = [await openDoor(), await openDoor()];
  const connection = await connect(natsOptions(doors.map(({ url }) => url).join(',')));
  const before = connection.getServer();
  const heard: string[] = [];
  connection.subscribe('said', { callback: (_, message) => void heard.push(message.string()) });
  await connection.flush();
  doors.find(({ url }) => url.endsWith(before))?.freeze();
  await until('it has another server', () => connection.getServer() !== before);
  const other = await connect(natsOptions(nats.url));
  await until('it hears again', () => {
    other.publish('said', 'word');
    return heard.length > 0;
  });
  for (const each of [connection, other]) await each.close();
  for (const door of doors) await door.close();
  expect(heard).toContain('word');
});
