// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: no chaining beyond `usePrevHookAmount`.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {Execution, IHook} from "./Types.sol";

/// What hooks share: the amount that came out, per caller, between the two measuring calls.
abstract contract DevHook is IHook {
    mapping(address caller => uint256) internal _out;
    mapping(address caller => bool) private _inContext;

    error CONTEXT_NOT_SET();

    function setExecutionContext(address caller) external {
        _inContext[caller] = true;
    }

    function resetExecutionState(address caller) external {
        _inContext[caller] = false;
    }

    function getOutAmount(address caller) public view returns (uint256) {
        return _out[caller];
    }

    function preExecute(address, address account, bytes calldata data) external {
        if (!_inContext[account]) revert CONTEXT_NOT_SET();
        _out[account] = _measured(account, data);
    }

    function postExecute(address, address account, bytes calldata data) external {
        if (!_inContext[account]) revert CONTEXT_NOT_SET();
        _out[account] = _measured(account, data) - _out[account];
    }

    function decodeUsePrevHookAmount(bytes calldata data) public pure returns (bool) {
        return data.length > 104 && data[104] != 0;
    }

    function _amount(address prevHook, address account, bytes calldata data) internal view returns (uint256) {
        return decodeUsePrevHookAmount(data) ? IHook(prevHook).getOutAmount(account) : uint256(bytes32(data[72:104]));
    }

    function _source(bytes calldata data) internal pure returns (address) {
        return address(bytes20(data[32:52]));
    }

    function _measured(address account, bytes calldata data) internal view virtual returns (uint256);
}

/// Approves and deposits into an ERC-4626 source. Layout: oracleId 32, source 20, token 20, amount 32, usePrev 1.
contract DevDepositHook is DevHook {
    bytes32 public constant subtype = keccak256("ERC4626");

    function inspect(bytes calldata data) external pure returns (bytes memory) {
        return abi.encodePacked(_source(data), address(bytes20(data[52:72])));
    }

    function build(address prevHook, address account, bytes calldata data) external view returns (Execution[] memory calls) {
        address source = _source(data);
        uint256 amount = _amount(prevHook, account, data);
        calls = new Execution[](2);
        calls[0] = Execution(address(bytes20(data[52:72])), 0, abi.encodeCall(IERC20.approve, (source, amount)));
        calls[1] = Execution(source, 0, abi.encodeCall(IERC4626.deposit, (amount, account)));
    }

    function _measured(address account, bytes calldata data) internal view override returns (uint256) {
        return IERC4626(_source(data)).balanceOf(account);
    }
}

/// Redeems from an ERC-4626 source. Layout: oracleId 32, source 20, owner 20, shares 32, usePrev 1.
contract DevRedeemHook is DevHook {
    bytes32 public constant subtype = keccak256("ERC4626");

    function inspect(bytes calldata data) external pure returns (bytes memory) {
        return abi.encodePacked(_source(data), address(bytes20(data[52:72])));
    }

    function build(address prevHook, address account, bytes calldata data) external view returns (Execution[] memory calls) {
        uint256 shares = _amount(prevHook, account, data);
        calls = new Execution[](1);
        calls[0] = Execution(_source(data), 0, abi.encodeCall(IERC4626.redeem, (shares, account, address(bytes20(data[52:72])))));
    }

    function _measured(address account, bytes calldata data) internal view override returns (uint256) {
        return IERC20(IERC4626(_source(data)).asset()).balanceOf(account);
    }
}
