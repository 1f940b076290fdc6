import type { DurableEvent, StreamDefinition } from '@castellan/contracts';

/** What moleculer's packets begin with; as its transit has it. */
export const packetPrefix = (namespace: string): string => (namespace ? `MOL-${namespace}` : 'MOL');
/** The name of a stream in JetStream. */
export const streamNameOf = (namespace: string, { name }: StreamDefinition) => `${namespace}_${name}`;
/** The subject on which an event is published. */
export const subjectOf = (namespace: string, { stream, name }: DurableEvent) =>
  `${namespace}.durable.${stream.subject}.${name}`;
/** The name of the stream that holds dead letters. */
export const deadStreamOf = (namespace: string) => `${namespace}_DEAD`;
/** The subject of the dead letters of one durable consumer. */
export const deadSubjectOf = (namespace: string, durable: string) => `${namespace}.dead.${durable}`;

/** The service that makes the stream of dead letters: its audit log is what must not have holes. */
export const deadLetterDefiner = 'users';
