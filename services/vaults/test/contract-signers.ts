import { createRequire } from 'node:module';
import {
  type Abi,
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  zeroAddress,
} from 'viem';
import { getContractAddress } from 'viem/utils';
import { person, type TestChain, who } from '../../../packages/protocol/test/test-chain.ts';

/** Contracts that hold a manager's role: a Safe and a timelock, as they are deployed everywhere, on a test's chain. */

const require = createRequire(import.meta.url);
type Artifact = { abi: Abi; bytecode: Hex };
const artifactOf = (path: string) => require(path) as Artifact;
const safeArtifact = artifactOf('@safe-global/safe-smart-account/build/artifacts/contracts/Safe.sol/Safe.json');
const proxyArtifact = artifactOf(
  '@safe-global/safe-smart-account/build/artifacts/contracts/proxies/SafeProxy.sol/SafeProxy.json',
);
const timelockArtifact = artifactOf('@openzeppelin/contracts/build/contracts/TimelockController.json');
export const safeContractAbi = safeArtifact.abi;
export const timelockContractAbi = timelockArtifact.abi;

async function deploy(chain: TestChain, code: Hex): Promise<Address> {
  const sender = await chain.sender(who.deployer);
  const nonce = sender.nextNonce();
  await sender.send({ data: code });
  return getContractAddress({ from: who.deployer, nonce: BigInt(nonce) });
}

/** Owners in the order in which a Safe wants their signatures. */
export const safeOwners = [40, 41, 42]
  .map(person)
  .sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));

/** A Safe of three owners, two of whom must sign. */
export async function deploySafe(chain: TestChain): Promise<Address> {
  const singleton = await deploy(chain, safeArtifact.bytecode);
  const safe = await deploy(
    chain,
    concatHex([proxyArtifact.bytecode, encodeAbiParameters([{ type: 'address' }], [singleton])]),
  );
  const owners = safeOwners.map(({ address }) => address);
  const args = [owners, 2n, zeroAddress, '0x', zeroAddress, zeroAddress, 0n, zeroAddress];
  const data = encodeFunctionData({ abi: safeArtifact.abi, functionName: 'setup', args });
  await (await chain.sender(who.deployer)).send({ to: safe, data });
  return safe;
}

export const timelockDelay = 600n;

/** A timelock that `proposer` schedules on, and anybody executes on. */
export async function deployTimelock(chain: TestChain, proposer: Address): Promise<Address> {
  const types = ['uint256', 'address[]', 'address[]', 'address'].map((type) => ({ type }));
  const args = encodeAbiParameters(types, [timelockDelay, [proposer], [zeroAddress], zeroAddress]);
  return deploy(chain, concatHex([timelockArtifact.bytecode, args]));
}

/** The call of a Safe with the signatures of its first two owners over the hash they were given to sign. */
export async function executedBySafe(safeTx: Record<string, unknown>, hash: Hex): Promise<Hex> {
  const signatures = await Promise.all(safeOwners.slice(0, 2).map((owner) => owner.sign({ hash })));
  const { to, value, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver } = safeTx;
  const args = [
    to,
    value,
    data,
    operation,
    safeTxGas,
    baseGas,
    gasPrice,
    gasToken,
    refundReceiver,
    concatHex(signatures),
  ];
  return encodeFunctionData({ abi: safeArtifact.abi, functionName: 'execTransaction', args });
}
