/**
 * What the EVM itself says when it stops a call: bad code, an exhausted stack or gas, a forbidden write, a precompile that refuses its
 * input. In the words of geth, Erigon and op-geth; of Nethermind and Besu; of revm in anvil and Reth.
 */
const words = [
  '(?:invalid|undefined|bad) (?:opcode|instruction|operation|jump ?dest(?:ination)?|code: must not)',
  String.raw`(?:BadInstruction|InvalidJumpDestination|StaticCallViolation|AccessViolation|PrecompileFailure|InvalidSubroutine\w*)`,
  'stack ?(?:underflow|overflow|limit reached)|too many stack items',
  'out ?of ?gas|gas uint64 overflow',
  'write protection|illegal state change|return data out of bounds|out of bounds (?:read|access)',
  'max(?:imum)? (?:call depth|code size|initcode size) exceeded|contract (?:address )?collision|nonce uint64 overflow',
  String.raw`invalid input length|invalid final flag|bad elliptic curve pairing size|malformed point|\b(?:bn256|bls12381|blake2f|kzg):`,
  String.raw`point is not on (?:the )?curve|not in (?:the )?(?:correct )?subgroup|invalid field element|precompile(?:d contract)? (?:error|fail\w*)`,
  String.raw`VM execution error|\bEVM ?error`,
];
const pattern = new RegExp(words.join('|'), 'i');

/** Whether a node's words say that the EVM stopped the call. Such failures carry no data. */
export const isEvmFailure = (text: string): boolean => pattern.test(text);
