import type { FastifyReply } from 'fastify';

/** Names a header that the answer depends on, beside those that were named before. */
export function addVary(reply: FastifyReply, name: string): FastifyReply {
  const before = reply.getHeader('vary');
  return reply.header('vary', before === undefined ? name : `${before}, ${name}`);
}
