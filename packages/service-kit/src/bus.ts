/** Users of the bus and what they may do, without what it takes to run a service: a door of its own. */
export { oracleSubjects, servicesConf, userBlock } from './bus-permissions.ts';
export { busUsers, inboxOf, oracleUserOf, passwordVariableOf } from './bus-users.ts';
