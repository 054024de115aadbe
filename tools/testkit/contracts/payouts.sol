// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// The bytecode of these contracts is in payouts.json. It was made by `solc` 0.8.30 with its optimizer on and no metadata.

/// A plain ERC-20. Two of them with one symbol are twins.
contract Token {
    string public symbol;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        symbol = "USDC";
        move(address(0), msg.sender, 1e24);
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        take(msg.sender, value);
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        take(from, value);
        move(from, to, value);
        return true;
    }

    function take(address from, uint256 value) internal {
        require(from == address(0) || balanceOf[from] >= value, "too little");
        balanceOf[from] -= value;
    }

    function move(address from, address to, uint256 value) internal {
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Keeps a tenth of each transfer.
contract FeeToken is Token {
    function transfer(address to, uint256 value) external override returns (bool) {
        take(msg.sender, value);
        move(msg.sender, to, value - value / 10);
        move(msg.sender, address(this), value / 10);
        return true;
    }
}

/// Logs a transfer that it does not make, as an ERC-721 would.
contract Collectible {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function transfer(address to, uint256 id) external returns (bool) {
        emit Transfer(msg.sender, to, id);
        return true;
    }
}

/// Pays many recipients in one transaction.
contract MultiSend {
    function send(Token token, address[] calldata to, uint256[] calldata values) external {
        for (uint256 at = 0; at < to.length; at++) token.transferFrom(msg.sender, to[at], values[at]);
    }
}

/// Passes the native coin on.
contract Forwarder {
    function forward(address payable to) external payable {
        (bool sent, ) = to.call{value: msg.value}("");
        require(sent, "not sent");
    }
}
