import { parseAbi } from 'viem';

/** Chainlink's price feed: `answer` over 10^decimals, per whole unit of the base. */
export const aggregatorV3Abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function version() view returns (uint256)',
  'function getRoundData(uint80 roundId) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);

/** A Chainlink proxy names the contract that emits its answers; a feed without proxy emits them itself. */
export const feedProxyAbi = parseAbi(['function aggregator() view returns (address)']);
