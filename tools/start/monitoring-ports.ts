/** Where each service serves `/metrics`, `/healthz` and `/readyz`, moved up by `--port-offset`. */
export const monitoringPorts = (by: number) => ({
  gateway: 9101 + by,
  auth: 9102 + by,
  vaults: 9103 + by,
  analytics: 9104 + by,
  users: 9105 + by,
  ai: 9106 + by,
  keeper: 9107 + by,
});
