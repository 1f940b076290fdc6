export { type DeadLetter, deadLetterFile, type KeepDeadLetter } from './dead-letters.ts';
export type { EventHandlers, PublicEvents, ValidatorEvent } from './public-events.ts';
export { type SubscribeOptions, type Subscription, subscribe } from './subscribe.ts';
