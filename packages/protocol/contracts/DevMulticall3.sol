// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: of Multicall3 only the call that reads.
pragma solidity 0.8.37;

/// Many calls in one, as Multicall3 at its usual address makes them.
contract DevMulticall3 {
    struct Call3 { address target; bool allowFailure; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory data) = calls[i].target.call(calls[i].callData);
            require(success || calls[i].allowFailure, "Multicall3: call failed");
            results[i] = Result(success, data);
        }
    }
}
