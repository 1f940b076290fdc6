// Starts the one-member replica set of compose once and makes a user for each service, for its own database and nothing else. Later runs
// find both and bring the passwords to what the secrets say. Elsewhere STORE_ADMIN_URI names a replica set that runs, and SECRETS the
// folder: docs/operations/install.md.
const fs = require('node:fs');
const secret = (name) => fs.readFileSync(`${process.env.SECRETS || '/run/secrets'}/${name}`, 'utf8').trim();
const elsewhere = process.env.STORE_ADMIN_URI;
const own = () =>
  `mongodb://root:${encodeURIComponent(secret('mongo-root-password'))}@mongo:27017/?directConnection=true`;
const admin = connect(elsewhere || own()).getSiblingDB('admin');

try {
  if (!elsewhere) admin.adminCommand({ replSetGetStatus: 1 });
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  const members = [{ _id: 0, host: 'mongo:27017' }];
  admin.adminCommand({ replSetInitiate: { _id: 'castellan', members } });
}
while (!admin.hello().isWritablePrimary) sleep(200);

// The keeper works in the database of the vaults.
const databases = {
  gateway: 'castellan_gateway',
  auth: 'castellan_auth',
  vaults: 'castellan_vaults',
  analytics: 'castellan_analytics',
  users: 'castellan_users',
  ai: 'castellan_ai',
  keeper: 'castellan_vaults',
};
// URL takes no URI that names several members.
const passwordOf = (user) => {
  const [, password] = /^mongodb(?:\+srv)?:\/\/[^:@/]+:([^@/]+)@/.exec(secret(`mongodb-uri-${user}`)) || [];
  if (!password) throw new Error(`mongodb-uri-${user} is no URI of the store with user and password.`);
  return decodeURIComponent(password);
};
const makeUser = (user, roles) => {
  const settings = { pwd: passwordOf(user), roles };
  if (admin.getUser(user)) admin.updateUser(user, settings);
  else admin.createUser({ user, ...settings });
};
for (const [user, database] of Object.entries(databases)) makeUser(user, [{ role: 'readWrite', db: database }]);
// Backs up and restores all of them.
const all = [...new Set(Object.values(databases))];
makeUser(
  'operator',
  all.map((database) => ({ role: 'readWrite', db: database })),
);
// What measures the store reads how it is, and no documents.
makeUser('exporter', [
  { role: 'clusterMonitor', db: 'admin' },
  { role: 'read', db: 'local' },
]);
