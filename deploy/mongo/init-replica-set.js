// Starts the one-member replica set once; later runs find it and leave it.
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'castellan', members: [{ _id: 0, host: 'mongo:27017' }] });
}
