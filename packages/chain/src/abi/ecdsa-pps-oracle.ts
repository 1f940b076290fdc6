import { parseAbi } from 'viem';

/**
 * Checks batches of validator signatures over (strategy, pps, timestamp) and forwards the good ones to the aggregator.
 * `PPSValidated.timestamp` is the signed one, `sender` the transmitter.
 */
export const ecdsaPpsOracleAbi = parseAbi([
  'struct UpdatePPSArgs { address[] strategies; bytes[][] proofsArray; uint256[] ppss; uint256[] timestamps; }',
  'struct ValidationParams { address strategy; bytes[] proofs; uint256 pps; uint256 timestamp; }',
  'function updatePPS(UpdatePPSArgs args)',
  'function validateProofs(ValidationParams params) view',
  'function validateProofs(ValidationParams params, uint256 requiredQuorum) view',
  'function noncePerStrategy(address strategy_) view returns (uint256)',
  'function domainSeparator() view returns (bytes32)',
  'function UPDATE_PPS_TYPEHASH() view returns (bytes32)',
  'function MAX_STRATEGIES() view returns (uint256)',
  'function SUPER_GOVERNOR() view returns (address)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'event PPSValidated(address indexed strategy, uint256 pps, uint256 timestamp, address indexed sender)',
  'event ProofValidationFailed(address indexed strategy, string reason)',
  'event ProofValidationFailedLowLevel(address indexed strategy, bytes data)',
  'event BatchForwardPPSFailed(string reason)',
  'event BatchForwardPPSFailedLowLevel(bytes lowLevelData)',
  'event EIP712DomainChanged()',
  'error INVALID_PROOF()',
  'error INVALID_VALIDATOR()',
  'error QUORUM_NOT_MET()',
  'error ARRAY_LENGTH_MISMATCH()',
  'error ZERO_LENGTH_ARRAY()',
  'error INVALID_TIMESTAMP()',
  'error HIGH_PPS_DEVIATION()',
  'error INVALID_TOTAL_VALIDATORS()',
  'error INSUFFICIENT_GAS_FOR_EXTERNAL_CALL()',
  'error MAX_STRATEGIES_EXCEEDED()',
  'error STRATEGIES_NOT_SORTED_UNIQUE()',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
] as const);
