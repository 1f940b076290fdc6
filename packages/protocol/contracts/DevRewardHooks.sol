// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: layouts of the devnet's own, of a distributor and a pool
// as `DevRewards.sol` has them.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {DevHook} from "./DevHooks.sol";
import {DevRewardDistributor, DevSwapPool} from "./DevRewards.sol";
import {Execution} from "./Types.sol";

/// Claims all that a distributor has for the strategy. Layout: oracleId 32 (unused), distributor 20, token 20.
contract DevClaimHook is DevHook {
    bytes32 public constant subtype = keccak256("Claim");

    function inspect(bytes calldata data) external pure returns (bytes memory) {
        return abi.encodePacked(_source(data), address(bytes20(data[52:72])));
    }

    function build(address, address account, bytes calldata data) external pure returns (Execution[] memory calls) {
        calls = new Execution[](1);
        calls[0] = Execution(_source(data), 0, abi.encodeCall(DevRewardDistributor.claim, (account)));
    }

    function _measured(address account, bytes calldata data) internal view override returns (uint256) {
        return IERC20(address(bytes20(data[52:72]))).balanceOf(account);
    }
}

/// Approves and swaps in a pool. Layout: oracleId 32 (unused), pool 20, tokenIn 20, amount 32, usePrev 1, tokenOut 20.
contract DevSwapHook is DevHook {
    bytes32 public constant subtype = keccak256("Swap");

    function inspect(bytes calldata data) external pure returns (bytes memory) {
        return abi.encodePacked(_source(data), address(bytes20(data[52:72])), _tokenOut(data));
    }

    function build(address prevHook, address account, bytes calldata data) external view returns (Execution[] memory calls) {
        (address pool, address tokenIn) = (_source(data), address(bytes20(data[52:72])));
        uint256 amount = _amount(prevHook, account, data);
        calls = new Execution[](2);
        calls[0] = Execution(tokenIn, 0, abi.encodeCall(IERC20.approve, (pool, amount)));
        calls[1] = Execution(pool, 0, abi.encodeCall(DevSwapPool.swap, (tokenIn, amount)));
    }

    function _tokenOut(bytes calldata data) private pure returns (address) {
        return address(bytes20(data[105:125]));
    }

    function _measured(address account, bytes calldata data) internal view override returns (uint256) {
        return IERC20(_tokenOut(data)).balanceOf(account);
    }
}
