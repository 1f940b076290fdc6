import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RoleStream, RolesChanged } from '@castellan/contracts';
import { type Following, followStream, hearEvent, type ServiceContext } from '@castellan/service-kit';
import { type RolesChange, untilRolesAreRead } from '@castellan/tokens';
import type { Analyst } from './analyst/analyst.ts';
import type { Budgets } from './budgets/budgets.ts';
import { MongoChatStore } from './chat/adapters/chat-store.mongo.ts';
import { Answers } from './chat/answers.ts';
import { attachChat } from './chat/chat-server.ts';
import { chatActions } from './chat/conversations.ts';
import { openChatCollections } from './chat/models/chat-collections.ts';
import type { AiConfig } from './config.ts';
import { readVault } from './context/read-context.ts';
import type { Callers } from './http/callers.ts';
import type { HttpPort } from './http/http-port.ts';
import type { AiMetrics } from './telemetry/metrics.ts';
import { tools } from './tools/run-tool.ts';

const now = Date.now;
const wait = (ms: number) => sleep(ms, undefined, { ref: false });

type Shared = {
  http: Pick<HttpPort, 'server'>;
  callers: Pick<Callers, 'admit' | 'revocations'>;
  analyst: Analyst;
  rules: Analyst;
  budgets: Budgets;
  metrics: AiMetrics;
};

/** Puts the chat together: what is stored, who answers, and its websockets on the service's port. */
export function composeChat(
  config: AiConfig,
  { mongo, callAction, log, durable }: Pick<ServiceContext, 'mongo' | 'callAction' | 'log' | 'durable'>,
  { http, callers, ...shared }: Shared,
) {
  const store = new MongoChatStore({ collections: openChatCollections(mongo), keptMs: config.chat.keptMs, now });
  const timeoutMs = 2 * config.models.timeoutMs;
  const common = { store, callAction, log, now, wait, metrics: shared.metrics };
  const answers = new Answers({ ...common, tools, timeoutMs });
  const options = { origins: config.http.origins, connectionsPerUser: config.chat.connectionsPerUser };
  const { close } = attachChat(http.server, options, {
    ...shared,
    ...common,
    ...callers,
    answers,
    newId: randomUUID,
    stallMs: config.chat.stallMs,
  });
  /** Answers go on for those who still have a role, and end where nobody can say. */
  const rolesChanged = async (change: RolesChange) => {
    const { chain_id, vault_address } = change;
    const roles = untilRolesAreRead({ callAction, wait }, change);
    await answers.stopWithoutRole(`${chain_id}:${vault_address.toLowerCase()}`, async ({ rights }) => {
      await roles;
      await readVault(rights, { chain_id, vault_address });
    });
    await roles;
  };
  const takeRoles = (change: RolesChange) => {
    rolesChanged(change).catch((error: Error) => log.warn('could not check roles after they changed', { error }));
  };
  let following: Following[] = [];
  return {
    actions: chatActions(store),
    start: async () => {
      const followed = await followStream(durable, {
        stream: RoleStream,
        events: [RolesChanged],
        from: 'end',
        onMessage: ({ data }) => takeRoles(data as RolesChange),
      });
      following = [followed, hearEvent(durable, RolesChanged, takeRoles)];
    },
    close: async () => {
      await Promise.all(following.map((each) => each.stop()));
      await close();
    },
  };
}
