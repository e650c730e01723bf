// The tables are derived from the Unicode Character Database 14 (UnicodeData.txt and the
// unconditional part of SpecialCasing.txt), as far as U+FFFF.
#include "handlers/rules/patterns/letter_case.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace trainwarden::rules {
namespace {

// The letters first, first + stride, …, last become themselves + delta.
struct Range {
  std::uint16_t first;
  std::uint16_t last;
  std::uint16_t stride;
  std::int32_t delta;
};

// A letter that becomes several.
struct Several {
  std::uint16_t letter;
  std::string_view text;
};

constexpr std::array<Range, 170> kLower = {{
    {0xC0, 0xD6, 1, 32},         {0xD8, 0xDE, 1, 32},         {0x100, 0x12E, 2, 1},
    {0x132, 0x136, 2, 1},        {0x139, 0x147, 2, 1},        {0x14A, 0x176, 2, 1},
    {0x178, 0x178, 1, -121},     {0x179, 0x17D, 2, 1},        {0x181, 0x181, 1, 210},
    {0x182, 0x184, 2, 1},        {0x186, 0x186, 1, 206},      {0x187, 0x187, 1, 1},
    {0x189, 0x18A, 1, 205},      {0x18B, 0x18B, 1, 1},        {0x18E, 0x18E, 1, 79},
    {0x18F, 0x18F, 1, 202},      {0x190, 0x190, 1, 203},      {0x191, 0x191, 1, 1},
    {0x193, 0x193, 1, 205},      {0x194, 0x194, 1, 207},      {0x196, 0x196, 1, 211},
    {0x197, 0x197, 1, 209},      {0x198, 0x198, 1, 1},        {0x19C, 0x19C, 1, 211},
    {0x19D, 0x19D, 1, 213},      {0x19F, 0x19F, 1, 214},      {0x1A0, 0x1A4, 2, 1},
    {0x1A6, 0x1A6, 1, 218},      {0x1A7, 0x1A7, 1, 1},        {0x1A9, 0x1A9, 1, 218},
    {0x1AC, 0x1AC, 1, 1},        {0x1AE, 0x1AE, 1, 218},      {0x1AF, 0x1AF, 1, 1},
    {0x1B1, 0x1B2, 1, 217},      {0x1B3, 0x1B5, 2, 1},        {0x1B7, 0x1B7, 1, 219},
    {0x1B8, 0x1B8, 1, 1},        {0x1BC, 0x1BC, 1, 1},        {0x1C4, 0x1C4, 1, 2},
    {0x1C5, 0x1C5, 1, 1},        {0x1C7, 0x1C7, 1, 2},        {0x1C8, 0x1C8, 1, 1},
    {0x1CA, 0x1CA, 1, 2},        {0x1CB, 0x1DB, 2, 1},        {0x1DE, 0x1EE, 2, 1},
    {0x1F1, 0x1F1, 1, 2},        {0x1F2, 0x1F4, 2, 1},        {0x1F6, 0x1F6, 1, -97},
    {0x1F7, 0x1F7, 1, -56},      {0x1F8, 0x21E, 2, 1},        {0x220, 0x220, 1, -130},
    {0x222, 0x232, 2, 1},        {0x23A, 0x23A, 1, 10795},    {0x23B, 0x23B, 1, 1},
    {0x23D, 0x23D, 1, -163},     {0x23E, 0x23E, 1, 10792},    {0x241, 0x241, 1, 1},
    {0x243, 0x243, 1, -195},     {0x244, 0x244, 1, 69},       {0x245, 0x245, 1, 71},
    {0x246, 0x24E, 2, 1},        {0x370, 0x372, 2, 1},        {0x376, 0x376, 1, 1},
    {0x37F, 0x37F, 1, 116},      {0x386, 0x386, 1, 38},       {0x388, 0x38A, 1, 37},
    {0x38C, 0x38C, 1, 64},       {0x38E, 0x38F, 1, 63},       {0x391, 0x3A1, 1, 32},
    {0x3A3, 0x3AB, 1, 32},       {0x3CF, 0x3CF, 1, 8},        {0x3D8, 0x3EE, 2, 1},
    {0x3F4, 0x3F4, 1, -60},      {0x3F7, 0x3F7, 1, 1},        {0x3F9, 0x3F9, 1, -7},
    {0x3FA, 0x3FA, 1, 1},        {0x3FD, 0x3FF, 1, -130},     {0x400, 0x40F, 1, 80},
    {0x410, 0x42F, 1, 32},       {0x460, 0x480, 2, 1},        {0x48A, 0x4BE, 2, 1},
    {0x4C0, 0x4C0, 1, 15},       {0x4C1, 0x4CD, 2, 1},        {0x4D0, 0x52E, 2, 1},
    {0x531, 0x556, 1, 48},       {0x10A0, 0x10C5, 1, 7264},   {0x10C7, 0x10C7, 1, 7264},
    {0x10CD, 0x10CD, 1, 7264},   {0x13A0, 0x13EF, 1, 38864},  {0x13F0, 0x13F5, 1, 8},
    {0x1C90, 0x1CBA, 1, -3008},  {0x1CBD, 0x1CBF, 1, -3008},  {0x1E00, 0x1E94, 2, 1},
    {0x1E9E, 0x1E9E, 1, -7615},  {0x1EA0, 0x1EFE, 2, 1},      {0x1F08, 0x1F0F, 1, -8},
    {0x1F18, 0x1F1D, 1, -8},     {0x1F28, 0x1F2F, 1, -8},     {0x1F38, 0x1F3F, 1, -8},
    {0x1F48, 0x1F4D, 1, -8},     {0x1F59, 0x1F5F, 2, -8},     {0x1F68, 0x1F6F, 1, -8},
    {0x1F88, 0x1F8F, 1, -8},     {0x1F98, 0x1F9F, 1, -8},     {0x1FA8, 0x1FAF, 1, -8},
    {0x1FB8, 0x1FB9, 1, -8},     {0x1FBA, 0x1FBB, 1, -74},    {0x1FBC, 0x1FBC, 1, -9},
    {0x1FC8, 0x1FCB, 1, -86},    {0x1FCC, 0x1FCC, 1, -9},     {0x1FD8, 0x1FD9, 1, -8},
    {0x1FDA, 0x1FDB, 1, -100},   {0x1FE8, 0x1FE9, 1, -8},     {0x1FEA, 0x1FEB, 1, -112},
    {0x1FEC, 0x1FEC, 1, -7},     {0x1FF8, 0x1FF9, 1, -128},   {0x1FFA, 0x1FFB, 1, -126},
    {0x1FFC, 0x1FFC, 1, -9},     {0x2126, 0x2126, 1, -7517},  {0x212A, 0x212A, 1, -8383},
    {0x212B, 0x212B, 1, -8262},  {0x2132, 0x2132, 1, 28},     {0x2160, 0x216F, 1, 16},
    {0x2183, 0x2183, 1, 1},      {0x24B6, 0x24CF, 1, 26},     {0x2C00, 0x2C2F, 1, 48},
    {0x2C60, 0x2C60, 1, 1},      {0x2C62, 0x2C62, 1, -10743}, {0x2C63, 0x2C63, 1, -3814},
    {0x2C64, 0x2C64, 1, -10727}, {0x2C67, 0x2C6B, 2, 1},      {0x2C6D, 0x2C6D, 1, -10780},
    {0x2C6E, 0x2C6E, 1, -10749}, {0x2C6F, 0x2C6F, 1, -10783}, {0x2C70, 0x2C70, 1, -10782},
    {0x2C72, 0x2C72, 1, 1},      {0x2C75, 0x2C75, 1, 1},      {0x2C7E, 0x2C7F, 1, -10815},
    {0x2C80, 0x2CE2, 2, 1},      {0x2CEB, 0x2CED, 2, 1},      {0x2CF2, 0x2CF2, 1, 1},
    {0xA640, 0xA66C, 2, 1},      {0xA680, 0xA69A, 2, 1},      {0xA722, 0xA72E, 2, 1},
    {0xA732, 0xA76E, 2, 1},      {0xA779, 0xA77B, 2, 1},      {0xA77D, 0xA77D, 1, -35332},
    {0xA77E, 0xA786, 2, 1},      {0xA78B, 0xA78B, 1, 1},      {0xA78D, 0xA78D, 1, -42280},
    {0xA790, 0xA792, 2, 1},      {0xA796, 0xA7A8, 2, 1},      {0xA7AA, 0xA7AA, 1, -42308},
    {0xA7AB, 0xA7AB, 1, -42319}, {0xA7AC, 0xA7AC, 1, -42315}, {0xA7AD, 0xA7AD, 1, -42305},
    {0xA7AE, 0xA7AE, 1, -42308}, {0xA7B0, 0xA7B0, 1, -42258}, {0xA7B1, 0xA7B1, 1, -42282},
    {0xA7B2, 0xA7B2, 1, -42261}, {0xA7B3, 0xA7B3, 1, 928},    {0xA7B4, 0xA7C2, 2, 1},
    {0xA7C4, 0xA7C4, 1, -48},    {0xA7C5, 0xA7C5, 1, -42307}, {0xA7C6, 0xA7C6, 1, -35384},
    {0xA7C7, 0xA7C9, 2, 1},      {0xA7D0, 0xA7D0, 1, 1},      {0xA7D6, 0xA7D8, 2, 1},
    {0xA7F5, 0xA7F5, 1, 1},      {0xFF21, 0xFF3A, 1, 32},
}};

constexpr std::array<Range, 183> kUpper = {{
    {0xB5, 0xB5, 1, 743},       {0xE0, 0xF6, 1, -32},        {0xF8, 0xFE, 1, -32},
    {0xFF, 0xFF, 1, 121},       {0x101, 0x12F, 2, -1},       {0x131, 0x131, 1, -232},
    {0x133, 0x137, 2, -1},      {0x13A, 0x148, 2, -1},       {0x14B, 0x177, 2, -1},
    {0x17A, 0x17E, 2, -1},      {0x17F, 0x17F, 1, -300},     {0x180, 0x180, 1, 195},
    {0x183, 0x185, 2, -1},      {0x188, 0x188, 1, -1},       {0x18C, 0x18C, 1, -1},
    {0x192, 0x192, 1, -1},      {0x195, 0x195, 1, 97},       {0x199, 0x199, 1, -1},
    {0x19A, 0x19A, 1, 163},     {0x19E, 0x19E, 1, 130},      {0x1A1, 0x1A5, 2, -1},
    {0x1A8, 0x1A8, 1, -1},      {0x1AD, 0x1AD, 1, -1},       {0x1B0, 0x1B0, 1, -1},
    {0x1B4, 0x1B6, 2, -1},      {0x1B9, 0x1B9, 1, -1},       {0x1BD, 0x1BD, 1, -1},
    {0x1BF, 0x1BF, 1, 56},      {0x1C5, 0x1C5, 1, -1},       {0x1C6, 0x1C6, 1, -2},
    {0x1C8, 0x1C8, 1, -1},      {0x1C9, 0x1C9, 1, -2},       {0x1CB, 0x1CB, 1, -1},
    {0x1CC, 0x1CC, 1, -2},      {0x1CE, 0x1DC, 2, -1},       {0x1DD, 0x1DD, 1, -79},
    {0x1DF, 0x1EF, 2, -1},      {0x1F2, 0x1F2, 1, -1},       {0x1F3, 0x1F3, 1, -2},
    {0x1F5, 0x1F5, 1, -1},      {0x1F9, 0x21F, 2, -1},       {0x223, 0x233, 2, -1},
    {0x23C, 0x23C, 1, -1},      {0x23F, 0x240, 1, 10815},    {0x242, 0x242, 1, -1},
    {0x247, 0x24F, 2, -1},      {0x250, 0x250, 1, 10783},    {0x251, 0x251, 1, 10780},
    {0x252, 0x252, 1, 10782},   {0x253, 0x253, 1, -210},     {0x254, 0x254, 1, -206},
    {0x256, 0x257, 1, -205},    {0x259, 0x259, 1, -202},     {0x25B, 0x25B, 1, -203},
    {0x25C, 0x25C, 1, 42319},   {0x260, 0x260, 1, -205},     {0x261, 0x261, 1, 42315},
    {0x263, 0x263, 1, -207},    {0x265, 0x265, 1, 42280},    {0x266, 0x266, 1, 42308},
    {0x268, 0x268, 1, -209},    {0x269, 0x269, 1, -211},     {0x26A, 0x26A, 1, 42308},
    {0x26B, 0x26B, 1, 10743},   {0x26C, 0x26C, 1, 42305},    {0x26F, 0x26F, 1, -211},
    {0x271, 0x271, 1, 10749},   {0x272, 0x272, 1, -213},     {0x275, 0x275, 1, -214},
    {0x27D, 0x27D, 1, 10727},   {0x280, 0x280, 1, -218},     {0x282, 0x282, 1, 42307},
    {0x283, 0x283, 1, -218},    {0x287, 0x287, 1, 42282},    {0x288, 0x288, 1, -218},
    {0x289, 0x289, 1, -69},     {0x28A, 0x28B, 1, -217},     {0x28C, 0x28C, 1, -71},
    {0x292, 0x292, 1, -219},    {0x29D, 0x29D, 1, 42261},    {0x29E, 0x29E, 1, 42258},
    {0x345, 0x345, 1, 84},      {0x371, 0x373, 2, -1},       {0x377, 0x377, 1, -1},
    {0x37B, 0x37D, 1, 130},     {0x3AC, 0x3AC, 1, -38},      {0x3AD, 0x3AF, 1, -37},
    {0x3B1, 0x3C1, 1, -32},     {0x3C2, 0x3C2, 1, -31},      {0x3C3, 0x3CB, 1, -32},
    {0x3CC, 0x3CC, 1, -64},     {0x3CD, 0x3CE, 1, -63},      {0x3D0, 0x3D0, 1, -62},
    {0x3D1, 0x3D1, 1, -57},     {0x3D5, 0x3D5, 1, -47},      {0x3D6, 0x3D6, 1, -54},
    {0x3D7, 0x3D7, 1, -8},      {0x3D9, 0x3EF, 2, -1},       {0x3F0, 0x3F0, 1, -86},
    {0x3F1, 0x3F1, 1, -80},     {0x3F2, 0x3F2, 1, 7},        {0x3F3, 0x3F3, 1, -116},
    {0x3F5, 0x3F5, 1, -96},     {0x3F8, 0x3F8, 1, -1},       {0x3FB, 0x3FB, 1, -1},
    {0x430, 0x44F, 1, -32},     {0x450, 0x45F, 1, -80},      {0x461, 0x481, 2, -1},
    {0x48B, 0x4BF, 2, -1},      {0x4C2, 0x4CE, 2, -1},       {0x4CF, 0x4CF, 1, -15},
    {0x4D1, 0x52F, 2, -1},      {0x561, 0x586, 1, -48},      {0x10D0, 0x10FA, 1, 3008},
    {0x10FD, 0x10FF, 1, 3008},  {0x13F8, 0x13FD, 1, -8},     {0x1C80, 0x1C80, 1, -6254},
    {0x1C81, 0x1C81, 1, -6253}, {0x1C82, 0x1C82, 1, -6244},  {0x1C83, 0x1C84, 1, -6242},
    {0x1C85, 0x1C85, 1, -6243}, {0x1C86, 0x1C86, 1, -6236},  {0x1C87, 0x1C87, 1, -6181},
    {0x1C88, 0x1C88, 1, 35266}, {0x1D79, 0x1D79, 1, 35332},  {0x1D7D, 0x1D7D, 1, 3814},
    {0x1D8E, 0x1D8E, 1, 35384}, {0x1E01, 0x1E95, 2, -1},     {0x1E9B, 0x1E9B, 1, -59},
    {0x1EA1, 0x1EFF, 2, -1},    {0x1F00, 0x1F07, 1, 8},      {0x1F10, 0x1F15, 1, 8},
    {0x1F20, 0x1F27, 1, 8},     {0x1F30, 0x1F37, 1, 8},      {0x1F40, 0x1F45, 1, 8},
    {0x1F51, 0x1F57, 2, 8},     {0x1F60, 0x1F67, 1, 8},      {0x1F70, 0x1F71, 1, 74},
    {0x1F72, 0x1F75, 1, 86},    {0x1F76, 0x1F77, 1, 100},    {0x1F78, 0x1F79, 1, 128},
    {0x1F7A, 0x1F7B, 1, 112},   {0x1F7C, 0x1F7D, 1, 126},    {0x1FB0, 0x1FB1, 1, 8},
    {0x1FBE, 0x1FBE, 1, -7205}, {0x1FD0, 0x1FD1, 1, 8},      {0x1FE0, 0x1FE1, 1, 8},
    {0x1FE5, 0x1FE5, 1, 7},     {0x214E, 0x214E, 1, -28},    {0x2170, 0x217F, 1, -16},
    {0x2184, 0x2184, 1, -1},    {0x24D0, 0x24E9, 1, -26},    {0x2C30, 0x2C5F, 1, -48},
    {0x2C61, 0x2C61, 1, -1},    {0x2C65, 0x2C65, 1, -10795}, {0x2C66, 0x2C66, 1, -10792},
    {0x2C68, 0x2C6C, 2, -1},    {0x2C73, 0x2C73, 1, -1},     {0x2C76, 0x2C76, 1, -1},
    {0x2C81, 0x2CE3, 2, -1},    {0x2CEC, 0x2CEE, 2, -1},     {0x2CF3, 0x2CF3, 1, -1},
    {0x2D00, 0x2D25, 1, -7264}, {0x2D27, 0x2D27, 1, -7264},  {0x2D2D, 0x2D2D, 1, -7264},
    {0xA641, 0xA66D, 2, -1},    {0xA681, 0xA69B, 2, -1},     {0xA723, 0xA72F, 2, -1},
    {0xA733, 0xA76F, 2, -1},    {0xA77A, 0xA77C, 2, -1},     {0xA77F, 0xA787, 2, -1},
    {0xA78C, 0xA78C, 1, -1},    {0xA791, 0xA793, 2, -1},     {0xA794, 0xA794, 1, 48},
    {0xA797, 0xA7A9, 2, -1},    {0xA7B5, 0xA7C3, 2, -1},     {0xA7C8, 0xA7CA, 2, -1},
    {0xA7D1, 0xA7D1, 1, -1},    {0xA7D7, 0xA7D9, 2, -1},     {0xA7F6, 0xA7F6, 1, -1},
    {0xAB53, 0xAB53, 1, -928},  {0xAB70, 0xABBF, 1, -38864}, {0xFF41, 0xFF5A, 1, -32},
}};

constexpr std::array<Several, 1> kLowerSeveral = {{{0x130, "\x69\xCC\x87"}}};

constexpr std::array<Several, 102> kUpperSeveral = {{
    {0xDF, "\x53\x53"},
    {0x149, "\xCA\xBC\x4E"},
    {0x1F0, "\x4A\xCC\x8C"},
    {0x390, "\xCE\x99\xCC\x88\xCC\x81"},
    {0x3B0, "\xCE\xA5\xCC\x88\xCC\x81"},
    {0x587, "\xD4\xB5\xD5\x92"},
    {0x1E96, "\x48\xCC\xB1"},
    {0x1E97, "\x54\xCC\x88"},
    {0x1E98, "\x57\xCC\x8A"},
    {0x1E99, "\x59\xCC\x8A"},
    {0x1E9A, "\x41\xCA\xBE"},
    {0x1F50, "\xCE\xA5\xCC\x93"},
    {0x1F52, "\xCE\xA5\xCC\x93\xCC\x80"},
    {0x1F54, "\xCE\xA5\xCC\x93\xCC\x81"},
    {0x1F56, "\xCE\xA5\xCC\x93\xCD\x82"},
    {0x1F80, "\xE1\xBC\x88\xCE\x99"},
    {0x1F81, "\xE1\xBC\x89\xCE\x99"},
    {0x1F82, "\xE1\xBC\x8A\xCE\x99"},
    {0x1F83, "\xE1\xBC\x8B\xCE\x99"},
    {0x1F84, "\xE1\xBC\x8C\xCE\x99"},
    {0x1F85, "\xE1\xBC\x8D\xCE\x99"},
    {0x1F86, "\xE1\xBC\x8E\xCE\x99"},
    {0x1F87, "\xE1\xBC\x8F\xCE\x99"},
    {0x1F88, "\xE1\xBC\x88\xCE\x99"},
    {0x1F89, "\xE1\xBC\x89\xCE\x99"},
    {0x1F8A, "\xE1\xBC\x8A\xCE\x99"},
    {0x1F8B, "\xE1\xBC\x8B\xCE\x99"},
    {0x1F8C, "\xE1\xBC\x8C\xCE\x99"},
    {0x1F8D, "\xE1\xBC\x8D\xCE\x99"},
    {0x1F8E, "\xE1\xBC\x8E\xCE\x99"},
    {0x1F8F, "\xE1\xBC\x8F\xCE\x99"},
    {0x1F90, "\xE1\xBC\xA8\xCE\x99"},
    {0x1F91, "\xE1\xBC\xA9\xCE\x99"},
    {0x1F92, "\xE1\xBC\xAA\xCE\x99"},
    {0x1F93, "\xE1\xBC\xAB\xCE\x99"},
    {0x1F94, "\xE1\xBC\xAC\xCE\x99"},
    {0x1F95, "\xE1\xBC\xAD\xCE\x99"},
    {0x1F96, "\xE1\xBC\xAE\xCE\x99"},
    {0x1F97, "\xE1\xBC\xAF\xCE\x99"},
    {0x1F98, "\xE1\xBC\xA8\xCE\x99"},
    {0x1F99, "\xE1\xBC\xA9\xCE\x99"},
    {0x1F9A, "\xE1\xBC\xAA\xCE\x99"},
    {0x1F9B, "\xE1\xBC\xAB\xCE\x99"},
    {0x1F9C, "\xE1\xBC\xAC\xCE\x99"},
    {0x1F9D, "\xE1\xBC\xAD\xCE\x99"},
    {0x1F9E, "\xE1\xBC\xAE\xCE\x99"},
    {0x1F9F, "\xE1\xBC\xAF\xCE\x99"},
    {0x1FA0, "\xE1\xBD\xA8\xCE\x99"},
    {0x1FA1, "\xE1\xBD\xA9\xCE\x99"},
    {0x1FA2, "\xE1\xBD\xAA\xCE\x99"},
    {0x1FA3, "\xE1\xBD\xAB\xCE\x99"},
    {0x1FA4, "\xE1\xBD\xAC\xCE\x99"},
    {0x1FA5, "\xE1\xBD\xAD\xCE\x99"},
    {0x1FA6, "\xE1\xBD\xAE\xCE\x99"},
    {0x1FA7, "\xE1\xBD\xAF\xCE\x99"},
    {0x1FA8, "\xE1\xBD\xA8\xCE\x99"},
    {0x1FA9, "\xE1\xBD\xA9\xCE\x99"},
    {0x1FAA, "\xE1\xBD\xAA\xCE\x99"},
    {0x1FAB, "\xE1\xBD\xAB\xCE\x99"},
    {0x1FAC, "\xE1\xBD\xAC\xCE\x99"},
    {0x1FAD, "\xE1\xBD\xAD\xCE\x99"},
    {0x1FAE, "\xE1\xBD\xAE\xCE\x99"},
    {0x1FAF, "\xE1\xBD\xAF\xCE\x99"},
    {0x1FB2, "\xE1\xBE\xBA\xCE\x99"},
    {0x1FB3, "\xCE\x91\xCE\x99"},
    {0x1FB4, "\xCE\x86\xCE\x99"},
    {0x1FB6, "\xCE\x91\xCD\x82"},
    {0x1FB7, "\xCE\x91\xCD\x82\xCE\x99"},
    {0x1FBC, "\xCE\x91\xCE\x99"},
    {0x1FC2, "\xE1\xBF\x8A\xCE\x99"},
    {0x1FC3, "\xCE\x97\xCE\x99"},
    {0x1FC4, "\xCE\x89\xCE\x99"},
    {0x1FC6, "\xCE\x97\xCD\x82"},
    {0x1FC7, "\xCE\x97\xCD\x82\xCE\x99"},
    {0x1FCC, "\xCE\x97\xCE\x99"},
    {0x1FD2, "\xCE\x99\xCC\x88\xCC\x80"},
    {0x1FD3, "\xCE\x99\xCC\x88\xCC\x81"},
    {0x1FD6, "\xCE\x99\xCD\x82"},
    {0x1FD7, "\xCE\x99\xCC\x88\xCD\x82"},
    {0x1FE2, "\xCE\xA5\xCC\x88\xCC\x80"},
    {0x1FE3, "\xCE\xA5\xCC\x88\xCC\x81"},
    {0x1FE4, "\xCE\xA1\xCC\x93"},
    {0x1FE6, "\xCE\xA5\xCD\x82"},
    {0x1FE7, "\xCE\xA5\xCC\x88\xCD\x82"},
    {0x1FF2, "\xE1\xBF\xBA\xCE\x99"},
    {0x1FF3, "\xCE\xA9\xCE\x99"},
    {0x1FF4, "\xCE\x8F\xCE\x99"},
    {0x1FF6, "\xCE\xA9\xCD\x82"},
    {0x1FF7, "\xCE\xA9\xCD\x82\xCE\x99"},
    {0x1FFC, "\xCE\xA9\xCE\x99"},
    {0xFB00, "\x46\x46"},
    {0xFB01, "\x46\x49"},
    {0xFB02, "\x46\x4C"},
    {0xFB03, "\x46\x46\x49"},
    {0xFB04, "\x46\x46\x4C"},
    {0xFB05, "\x53\x54"},
    {0xFB06, "\x53\x54"},
    {0xFB13, "\xD5\x84\xD5\x86"},
    {0xFB14, "\xD5\x84\xD4\xB5"},
    {0xFB15, "\xD5\x84\xD4\xBB"},
    {0xFB16, "\xD5\x8E\xD5\x86"},
    {0xFB17, "\xD5\x84\xD4\xBD"},
}};

std::string utf8(std::uint32_t letter) {
  std::string out;
  if (letter < 0x80U) {
    out += static_cast<char>(letter);
  } else if (letter < 0x800U) {
    out += static_cast<char>(0xC0U | (letter >> 6U));
    out += static_cast<char>(0x80U | (letter & 0x3FU));
  } else {
    out += static_cast<char>(0xE0U | (letter >> 12U));
    out += static_cast<char>(0x80U | ((letter >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (letter & 0x3FU));
  }
  return out;
}

std::string mapped(std::uint32_t letter, std::span<const Range> ranges,
                   std::span<const Several> several) {
  const auto special = std::ranges::lower_bound(several, letter, {}, &Several::letter);
  if (special != several.end() && special->letter == letter) return std::string(special->text);
  const auto range = std::ranges::lower_bound(ranges, letter, {}, &Range::last);
  if (range == ranges.end() || letter < range->first ||
      (letter - range->first) % range->stride != 0) {
    return utf8(letter);
  }
  return utf8(static_cast<std::uint32_t>(static_cast<std::int32_t>(letter) + range->delta));
}

}  // namespace

Cases cases_of(std::string_view letter) {
  const auto byte = [&letter](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(letter[i]));
  };
  if (letter.size() == 1) {
    const std::uint32_t c = byte(0);
    if (c >= 'a' && c <= 'z') return {std::string(letter), utf8(c - 'a' + 'A')};
    if (c >= 'A' && c <= 'Z') return {utf8(c - 'A' + 'a'), std::string(letter)};
    return {std::string(letter), std::string(letter)};
  }
  if (letter.size() > 3) return {"??", "??"};
  const std::uint32_t code =
      letter.size() == 2 ? (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU)
                         : (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  return {mapped(code, kLower, kLowerSeveral), mapped(code, kUpper, kUpperSeveral)};
}

}  // namespace trainwarden::rules
