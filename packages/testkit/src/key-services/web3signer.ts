import { bytesToHex, type Hex, keccak256, numberToHex } from 'viem';
import type { Answered, Asked } from './key-service.ts';
import type { ServedKey } from './served-key.ts';

/** Web3Signer run with `eth1`: it signs the Keccak-256 hash of the data. */
export const web3signer =
  (keys: readonly ServedKey[]) =>
  async ({ method, path, body }: Asked): Promise<Answered | undefined> => {
    if (method === 'GET' && path === '/api/v1/eth1/publicKeys')
      return { status: 200, body: keys.map(({ point }) => point) };
    const [, point] = /^\/api\/v1\/eth1\/sign\/(.+)$/.exec(path) ?? [];
    if (method !== 'POST' || point === undefined) return undefined;
    const key = keys.find((each) => each.point === point);
    if (!key) return { status: 404, body: 'Signer not found for identifier' };
    const { data } = JSON.parse(body) as { data?: Hex };
    if (data === undefined) return { status: 400, body: 'Bad Request' };
    const { r, s, v } = await key.sign(keccak256(data, 'bytes'));
    const word = (value: bigint) => numberToHex(value, { size: 32 }).slice(2);
    return { status: 200, body: `0x${word(r)}${word(s)}${bytesToHex(Uint8Array.of(Number(v))).slice(2)}` };
  };
