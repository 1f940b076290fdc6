// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Nothing is simplified: the validator node is tested against this.
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ForwardPPSArgs, IAggregator, IGovernor, Keys, UpdatePPSArgs, ValidationParams} from "./Types.sol";

/// Checks the validators' signatures over (strategy, pps, timestamp, nonce) and forwards what is good.
contract DevPPSOracle is EIP712 {
    bytes32 public constant UPDATE_PPS_TYPEHASH =
        keccak256("UpdatePPS(address strategy,uint256 pps,uint256 timestamp,uint256 strategyNonce)");
    uint256 public constant MAX_STRATEGIES = 300;
    IGovernor public immutable SUPER_GOVERNOR;

    mapping(address strategy => uint256) public noncePerStrategy;

    event PPSValidated(address indexed strategy, uint256 pps, uint256 timestamp, address indexed sender);
    event ProofValidationFailed(address indexed strategy, string reason);
    event ProofValidationFailedLowLevel(address indexed strategy, bytes data);
    event BatchForwardPPSFailed(string reason);
    event BatchForwardPPSFailedLowLevel(bytes lowLevelData);

    error INVALID_PROOF();
    error INVALID_VALIDATOR();
    error QUORUM_NOT_MET();
    error ARRAY_LENGTH_MISMATCH();
    error ZERO_LENGTH_ARRAY();
    error INVALID_TIMESTAMP();
    error HIGH_PPS_DEVIATION();
    error INVALID_TOTAL_VALIDATORS();
    error INSUFFICIENT_GAS_FOR_EXTERNAL_CALL();
    error MAX_STRATEGIES_EXCEEDED();
    error STRATEGIES_NOT_SORTED_UNIQUE();

    constructor(address governor, string memory name_, string memory version_) EIP712(name_, version_) {
        SUPER_GOVERNOR = IGovernor(governor);
    }

    function domainSeparator() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function updatePPS(UpdatePPSArgs calldata args) external {
        uint256 count = args.strategies.length;
        if (count == 0) revert ZERO_LENGTH_ARRAY();
        if (count != args.proofsArray.length || count != args.ppss.length || count != args.timestamps.length) {
            revert ARRAY_LENGTH_MISMATCH();
        }
        if (count > MAX_STRATEGIES) revert MAX_STRATEGIES_EXCEEDED();
        for (uint256 i = 1; i < count; ++i) {
            if (args.strategies[i] <= args.strategies[i - 1]) revert STRATEGIES_NOT_SORTED_UNIQUE();
        }
        if (SUPER_GOVERNOR.getValidatorsCount() == 0) revert INVALID_TOTAL_VALIDATORS();
        _forward(_onlyValid(args, SUPER_GOVERNOR.getPPSOracleQuorum()));
    }

    /// Reverts unless the proofs are signatures of at least the active quorum, strictly ascending by signer.
    function validateProofs(ValidationParams calldata params) external view {
        _validateProofs(params, SUPER_GOVERNOR.getPPSOracleQuorum());
    }

    function validateProofs(ValidationParams calldata params, uint256 requiredQuorum) external view {
        _validateProofs(params, requiredQuorum);
    }

    /// Entries whose proofs fail are skipped with an event; the rest keep their order.
    function _onlyValid(UpdatePPSArgs calldata args, uint256 quorum) private returns (ForwardPPSArgs memory valid) {
        uint256 count = args.strategies.length;
        valid = ForwardPPSArgs(new address[](count), new uint256[](count), new uint256[](count), msg.sender);
        uint256 kept;
        for (uint256 i; i < count; ++i) {
            address strategy = args.strategies[i];
            ValidationParams memory params =
                ValidationParams(strategy, args.proofsArray[i], args.ppss[i], args.timestamps[i]);
            (bool ok, bytes memory data) = address(this).staticcall(
                abi.encodeWithSignature("validateProofs((address,bytes[],uint256,uint256),uint256)", params, quorum)
            );
            if (!ok) {
                _tellFailure(strategy, data);
                continue;
            }
            valid.strategies[kept] = strategy;
            valid.ppss[kept] = args.ppss[i];
            valid.timestamps[kept] = args.timestamps[i];
            ++kept;
            emit PPSValidated(strategy, args.ppss[i], args.timestamps[i], msg.sender);
        }
        _truncate(valid, kept);
    }

    /// Nonces are used up only when the aggregator took the batch, whatever it did with each entry.
    function _forward(ForwardPPSArgs memory valid) private {
        if (valid.strategies.length == 0) return;
        address aggregator = SUPER_GOVERNOR.getAddress(Keys.AGGREGATOR);
        try IAggregator(aggregator).forwardPPS(valid) {
            for (uint256 i; i < valid.strategies.length; ++i) ++noncePerStrategy[valid.strategies[i]];
        } catch Error(string memory reason) {
            emit BatchForwardPPSFailed(reason);
        } catch (bytes memory data) {
            emit BatchForwardPPSFailedLowLevel(data);
        }
    }

    function _validateProofs(ValidationParams calldata params, uint256 quorum) private view {
        uint256 count = params.proofs.length;
        if (count == 0) revert ZERO_LENGTH_ARRAY();
        if (count < quorum) revert QUORUM_NOT_MET();
        // Packed, not standard EIP-712: the strategy takes 20 bytes.
        bytes32 structHash = keccak256(
            abi.encodePacked(
                UPDATE_PPS_TYPEHASH, params.strategy, params.pps, params.timestamp, noncePerStrategy[params.strategy]
            )
        );
        bytes32 digest = _hashTypedDataV4(structHash);
        address last;
        for (uint256 i; i < count; ++i) {
            address signer = ECDSA.recover(digest, params.proofs[i]);
            if (!SUPER_GOVERNOR.isValidator(signer)) revert INVALID_VALIDATOR();
            if (signer <= last) revert INVALID_PROOF();
            last = signer;
        }
    }

    function _tellFailure(address strategy, bytes memory data) private {
        if (data.length >= 68 && bytes4(data) == bytes4(keccak256("Error(string)"))) {
            bytes memory tail = new bytes(data.length - 4);
            for (uint256 i = 4; i < data.length; ++i) tail[i - 4] = data[i];
            emit ProofValidationFailed(strategy, abi.decode(tail, (string)));
        } else {
            emit ProofValidationFailedLowLevel(strategy, data);
        }
    }

    function _truncate(ForwardPPSArgs memory args, uint256 length) private pure {
        address[] memory strategies = args.strategies;
        uint256[] memory ppss = args.ppss;
        uint256[] memory timestamps = args.timestamps;
        assembly {
            mstore(strategies, length)
            mstore(ppss, length)
            mstore(timestamps, length)
        }
    }
}
