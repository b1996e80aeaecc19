#pragma once

/// What reduce and scan are for: algorithms written on Tally's public calls.
