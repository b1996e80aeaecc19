#pragma once

namespace tally::draw {

/// Colours and lines of a diagram, for light and dark backgrounds.
inline constexpr char const* diagram_style = R"(
.page { fill: #fcfcfb } .ink { fill: #0b0b0b } .soft { fill: #52514e } .faint { fill: #898781 }
.node { stroke: #898781; stroke-width: 1 } .input { fill: #f0efea } .combined { fill: #d3e5fa; stroke: #2a78d6 }
.moved { fill: #fcfcfb; stroke: #8a5cc9; stroke-dasharray: 3 2 } .constant { fill: #fdeecb; stroke: #c08000 }
.result { stroke-width: 2.2 } .out { fill: #d5f0e2; stroke: #178a5c }
.wire { fill: none; stroke: #b5b3ac; stroke-width: 1.2 } .take { fill: none; stroke: #2a78d6; stroke-width: 1.4 }
.move { fill: none; stroke: #8a5cc9; stroke-width: 1.2; stroke-dasharray: 4 3 }
.head { fill: #898781 } .take-head { fill: #2a78d6 } .move-head { fill: #8a5cc9 }
.band { fill: #f4f3ef }
@media (prefers-color-scheme: dark) {
  .page { fill: #1a1a19 } .ink { fill: #fff } .soft { fill: #c3c2b7 } .faint { fill: #8f8d86 }
  .node { stroke: #898781 } .input { fill: #32322f } .combined { fill: #16385f; stroke: #5a9ff0 }
  .moved { fill: #1a1a19; stroke: #b295e6 } .constant { fill: #4a3a10; stroke: #e0a526 }
  .out { fill: #12402c; stroke: #35b784 }
  .wire { stroke: #5d5c57 } .take { stroke: #5a9ff0 } .move { stroke: #b295e6 }
  .take-head { fill: #5a9ff0 } .move-head { fill: #b295e6 }
  .band { fill: #272725 }
}
)";

/// The same for areas of blocks.
inline constexpr char const* block_style = R"(
.block { fill: none; stroke: #b08a2e; stroke-width: 1.2; stroke-dasharray: 7 4 }
@media (prefers-color-scheme: dark) { .block { stroke: #c9a24a } }
)";

}  // namespace tally::draw
