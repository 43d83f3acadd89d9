// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Proves that a storage slot of a contract holds `true`, given the root of that contract's storage trie.
/// Every way in which a proof can be wrong reverts.
library TrieProof {
    /// A piece of the proof's bytes in memory, by pointer and length.
    struct Slice {
        uint256 at;
        uint256 length;
    }

    function requireTrue(bytes32 root, bytes32 slot, bytes[] memory proof) internal pure {
        bytes32 path = keccak256(abi.encode(slot));
        uint256 depth = 0;
        bytes memory link = abi.encodePacked(root);
        for (uint256 i = 0; i < proof.length; i++) {
            require(refersTo(link, proof[i]), "TrieProof: node is not the one referred to");
            Slice[] memory items = listItems(whole(proof[i]));
            if (items.length == 17) {
                require(depth < 64, "TrieProof: path ends in a branch");
                link = childReference(items[nibbleAt(path, depth)]);
                depth += 1;
                continue;
            }
            require(items.length == 2, "TrieProof: not a node");
            (bytes memory part, bool leaf) = pathPart(content(items[0]));
            for (uint256 j = 0; j < part.length; j++) {
                require(depth < 64 && uint8(part[j]) == nibbleAt(path, depth), "TrieProof: the slot is empty");
                depth += 1;
            }
            if (!leaf) {
                link = childReference(items[1]);
                continue;
            }
            require(depth == 64 && i == proof.length - 1, "TrieProof: does not end at the slot");
            Slice memory value = content(items[1]);
            require(value.length == 1 && byteAt(value, 0) == 1, "TrieProof: the slot is not true");
            return;
        }
        revert("TrieProof: proof is incomplete");
    }

    /// Nodes of 32 bytes and more are named by their hash; a smaller one stands in its parent as it is. The root is
    /// always a hash.
    function refersTo(bytes memory link, bytes memory node) private pure returns (bool) {
        if (link.length == 32) return bytes32(link) == keccak256(node);
        return keccak256(link) == keccak256(node);
    }

    function childReference(Slice memory item) private pure returns (bytes memory) {
        if (byteAt(item, 0) >= 0xc0) return copy(item);
        Slice memory hash = content(item);
        require(hash.length == 32, "TrieProof: the slot is empty");
        return copy(hash);
    }

    /// The nibbles of a compact path, and whether its node is a leaf.
    function pathPart(Slice memory compact) private pure returns (bytes memory nibbles, bool leaf) {
        require(compact.length > 0, "TrieProof: empty path");
        uint256 first = byteAt(compact, 0);
        require(first < 0x40, "TrieProof: unknown kind of path");
        leaf = first & 0x20 != 0;
        uint256 odd = (first >> 4) & 1;
        require(odd == 1 || first & 0x0f == 0, "TrieProof: padding is not zero");
        nibbles = new bytes((compact.length - 1) * 2 + odd);
        if (odd == 1) nibbles[0] = bytes1(uint8(first & 0x0f));
        for (uint256 i = 1; i < compact.length; i++) {
            uint256 pair = byteAt(compact, i);
            nibbles[(i - 1) * 2 + odd] = bytes1(uint8(pair >> 4));
            nibbles[(i - 1) * 2 + odd + 1] = bytes1(uint8(pair & 0x0f));
        }
    }

    /// The items of an RLP list that fills the slice, each with its header.
    function listItems(Slice memory list) private pure returns (Slice[] memory items) {
        (uint256 header, uint256 length, bool isList) = headerOf(list);
        require(isList && header + length == list.length, "TrieProof: not a list");
        Slice[] memory found = new Slice[](17);
        uint256 count = 0;
        Slice memory rest = Slice(list.at + header, length);
        while (rest.length > 0) {
            require(count < 17, "TrieProof: too many items");
            (uint256 itemHeader, uint256 itemLength,) = headerOf(rest);
            uint256 size = itemHeader + itemLength;
            found[count] = Slice(rest.at, size);
            count += 1;
            rest = Slice(rest.at + size, rest.length - size);
        }
        items = new Slice[](count);
        for (uint256 i = 0; i < count; i++) items[i] = found[i];
    }

    /// The bytes of an RLP string without its header.
    function content(Slice memory item) private pure returns (Slice memory) {
        (uint256 header, uint256 length, bool isList) = headerOf(item);
        require(!isList, "TrieProof: a list where bytes belong");
        return Slice(item.at + header, length);
    }

    function headerOf(Slice memory data) private pure returns (uint256 header, uint256 length, bool isList) {
        require(data.length > 0, "TrieProof: cut short");
        uint256 first = byteAt(data, 0);
        if (first < 0x80) return (0, 1, false);
        isList = first >= 0xc0;
        uint256 short_ = first - (isList ? 0xc0 : 0x80);
        if (short_ <= 55) {
            (header, length) = (1, short_);
        } else {
            // No node needs more than two bytes for its length: a branch has at most 532 bytes.
            uint256 size = short_ - 55;
            require(size <= 2 && data.length > size, "TrieProof: too long");
            for (uint256 i = 1; i <= size; i++) length = (length << 8) | byteAt(data, i);
            header = 1 + size;
        }
        require(header + length <= data.length, "TrieProof: cut short");
    }

    function nibbleAt(bytes32 path, uint256 index) private pure returns (uint256) {
        uint256 pair = uint8(path[index >> 1]);
        return index & 1 == 0 ? pair >> 4 : pair & 0x0f;
    }

    function whole(bytes memory data) private pure returns (Slice memory slice) {
        slice.length = data.length;
        assembly {
            mstore(slice, add(data, 32))
        }
    }

    function byteAt(Slice memory slice, uint256 index) private pure returns (uint256 value) {
        require(index < slice.length, "TrieProof: cut short");
        uint256 at = slice.at + index;
        assembly {
            value := byte(0, mload(at))
        }
    }

    function copy(Slice memory slice) private pure returns (bytes memory data) {
        data = new bytes(slice.length);
        for (uint256 i = 0; i < slice.length; i++) data[i] = bytes1(uint8(byteAt(slice, i)));
    }
}
