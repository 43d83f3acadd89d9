// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IL1Block {
    function basefee() external view returns (uint256);
    function blobBaseFee() external view returns (uint256);
    function baseFeeScalar() external view returns (uint32);
    function blobBaseFeeScalar() external view returns (uint32);
    function operatorFeeScalar() external view returns (uint32);
    function operatorFeeConstant() external view returns (uint64);
}

/// What a transaction of the rollup costs beside its gas there: the part of its data in a compressed batch on the parent
/// chain, estimated by how well it compresses alone, and what the operator takes.
contract GasPriceOracle {
    IL1Block private constant L1_BLOCK = IL1Block(0x4200000000000000000000000000000000000015);
    uint256 private constant SIGNATURE_BYTES = 68;
    uint256 private constant GAS_PER_BYTE = 16;

    /// A line that was fitted to real batches, in millionths of a byte: intercept, slope, and the least that is charged.
    uint256 private constant INTERCEPT = 42_585_600;
    uint256 private constant SLOPE = 836_500;
    uint256 private constant LEAST = 100_000_000;

    string public constant version = "1.4.0";
    uint256 public constant decimals = 6;
    uint256 public constant DECIMALS = 6;
    bool public constant isEcotone = true;
    bool public constant isFjord = true;
    bool public constant isIsthmus = true;
    bool public constant isJovian = false;

    function gasPrice() external view returns (uint256) {
        return block.basefee;
    }

    function baseFee() external view returns (uint256) {
        return block.basefee;
    }

    function l1BaseFee() external view returns (uint256) {
        return L1_BLOCK.basefee();
    }

    function blobBaseFee() external view returns (uint256) {
        return L1_BLOCK.blobBaseFee();
    }

    function baseFeeScalar() external view returns (uint32) {
        return L1_BLOCK.baseFeeScalar();
    }

    function blobBaseFeeScalar() external view returns (uint32) {
        return L1_BLOCK.blobBaseFeeScalar();
    }

    /// Wei for the data of a transaction that is serialized but not signed yet.
    function getL1Fee(bytes memory unsigned) external view returns (uint256) {
        return feeOf(compressedLength(unsigned) + SIGNATURE_BYTES);
    }

    /// The most that `getL1Fee` can be for a transaction of so many bytes.
    function getL1FeeUpperBound(uint256 unsignedLength) external view returns (uint256) {
        uint256 signed = unsignedLength + SIGNATURE_BYTES;
        return feeOf(signed + signed / 255 + 16);
    }

    /// The parent chain's gas for the data of a transaction, as if it were published there as calldata.
    function getL1GasUsed(bytes memory unsigned) external pure returns (uint256) {
        return batchedSize(compressedLength(unsigned) + SIGNATURE_BYTES) * GAS_PER_BYTE / 1e6;
    }

    /// Wei that the operator takes of a transaction that uses so much gas.
    function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
        return gasUsed * L1_BLOCK.operatorFeeScalar() / 1e6 + L1_BLOCK.operatorFeeConstant();
    }

    function feeOf(uint256 compressed) private view returns (uint256) {
        uint256 price = uint256(L1_BLOCK.baseFeeScalar()) * GAS_PER_BYTE * L1_BLOCK.basefee()
            + uint256(L1_BLOCK.blobBaseFeeScalar()) * L1_BLOCK.blobBaseFee();
        return batchedSize(compressed) * price / 1e12;
    }

    /// What a transaction takes in a batch, in millionths of a byte, by the length that it compresses to alone.
    function batchedSize(uint256 compressed) private pure returns (uint256) {
        uint256 scaled = SLOPE * compressed;
        return scaled < INTERCEPT + LEAST ? LEAST : scaled - INTERCEPT;
    }

    /// The length to which FastLZ, level 1, compresses data. It walks the data as the compressor does and only counts.
    function compressedLength(bytes memory data) private pure returns (uint256 total) {
        uint256 length = data.length;
        // Too short to hold a match: the compressor leaves the last bytes alone, since it reads ahead.
        if (length < 16) return literalsLength(length);
        uint256 end = length - 13;
        // Where the three bytes of each hash were seen last.
        uint256[8192] memory seen;
        uint256 done = 0;
        uint256 at = 2;
        while (at < end) {
            (uint256 back, uint256 bucket, uint256 three) = (0, 0, 0);
            bool found = false;
            while (at < end && !found) {
                three = threeAt(data, at);
                bucket = bucketOf(three);
                back = seen[bucket];
                seen[bucket] = at;
                found = at - back < 8192 && threeAt(data, back) == three;
                at++;
            }
            if (!found || at >= end) break;
            at--;
            total += literalsLength(at - done);
            uint256 matched = runLength(data, back + 3, at + 3, length - 4);
            total += matchLength(matched);
            at += matched;
            for (uint256 step = 0; step < 2; step++) {
                seen[bucketOf(threeAt(data, at))] = at;
                at++;
            }
            done = at;
        }
        return total + literalsLength(length - done);
    }

    function threeAt(bytes memory data, uint256 at) private pure returns (uint256) {
        return uint8(data[at]) | uint256(uint8(data[at + 1])) << 8 | uint256(uint8(data[at + 2])) << 16;
    }

    function bucketOf(uint256 three) private pure returns (uint256) {
        return (three * 2_654_435_769 >> 19) & 8191;
    }

    /// How many bytes from two places on are compared until they differ, that last one counted, or the end is there.
    function runLength(bytes memory data, uint256 left, uint256 right, uint256 end) private pure returns (uint256 run) {
        while (right + run < end) {
            run++;
            if (data[left + run - 1] != data[right + run - 1]) break;
        }
    }

    /// Bytes that stand for themselves go in groups of at most 32, each after one that counts them.
    function literalsLength(uint256 count) private pure returns (uint256) {
        return count + (count + 31) / 32;
    }

    /// A match takes two bytes, or three from nine bytes on, and is cut into pieces of at most 264.
    function matchLength(uint256 run) private pure returns (uint256) {
        uint256 rest = run - 1;
        return rest / 262 * 3 + (rest % 262 >= 6 ? 3 : 2);
    }
}
