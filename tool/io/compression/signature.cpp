#include "io/compression/signature.hpp"

#include "io/errors.hpp"

namespace tally::io {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view export_it = "export it first, for instance as CSV or .npy";
constexpr std::string_view by_pandas_parquet = "Tally does not read it; export it first: python3 -c \"import pandas; "
                                               "pandas.read_parquet('FILE').to_csv('FILE.csv', index=False)\"";
constexpr std::string_view by_pandas_arrow = "Tally does not read it; export it first: python3 -c \"import pandas; "
                                             "pandas.read_feather('FILE').to_csv('FILE.csv', index=False)\"";
constexpr std::string_view to_utf_8 = "convert it first: iconv -t UTF-8 -f UTF-16 FILE | tally ...";

struct known_signature {
  std::string_view bytes;  // '?' stands for any byte
  signature is;
};

constexpr known_signature signatures[] = {
    {"\x1f\x8b"sv, {"data compressed by gzip", "decompress it first: zcat FILE | tally ..."}},
    {"BZh?1A"sv, {"data compressed by bzip2", "decompress it first: bzcat FILE | tally ..."}},
    {"BZh?\x17r"sv, {"data compressed by bzip2", "decompress it first: bzcat FILE | tally ..."}},
    {"\xfd"
     "7zXZ\0"sv,
     {"data compressed by xz", "decompress it first: xzcat FILE | tally ..."}},
    {"\x28\xb5\x2f\xfd"sv, {"data compressed by zstd", "decompress it first: zstdcat FILE | tally ..."}},
    {"\x04\x22\x4d\x18"sv, {"data compressed by lz4", "decompress it first: lz4cat FILE | tally ..."}},
    {"PK\x03\x04"sv,
     {"a zip archive, as .npz and .xlsx files are",
      "take out what is to be read first: unzip -p FILE MEMBER | tally ..."}},
    {"PK\x05\x06"sv, {"an empty zip archive", "there is nothing in it"}},
    {"\x93NUMPY"sv, {"a .npy array", "--input-format npy reads it"}},
    {"PAR1"sv, {"a Parquet file", by_pandas_parquet}},
    {"ARROW1\0"sv, {"an Arrow file", by_pandas_arrow}},
    {"FEA1"sv, {"a Feather file of the first version", by_pandas_arrow}},
    {"\x89HDF"sv, {"an HDF5 file", "take a data set out first: h5dump -d NAME -b LE -o data.raw FILE"}},
    {"CDF\x01"sv, {"a NetCDF file", export_it}},
    {"CDF\x02"sv, {"a NetCDF file", export_it}},
    {"CDF\x05"sv, {"a NetCDF file", export_it}},
    {"\xd0\xcf\x11\xe0"sv, {"a document of Microsoft Office", export_it}},
    {"\xff\xfe\0\0"sv, {"text in UTF-32", "convert it first: iconv -t UTF-8 -f UTF-32 FILE | tally ..."}},
    {"\0\0\xfe\xff"sv, {"text in UTF-32", "convert it first: iconv -t UTF-8 -f UTF-32 FILE | tally ..."}},
    {"\xff\xfe"sv, {"text in UTF-16", to_utf_8}},
    {"\xfe\xff"sv, {"text in UTF-16", to_utf_8}},
};

bool begins_with(std::string_view bytes, std::string_view pattern)
{
  if (bytes.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] != '?' && pattern[i] != bytes[i]) return false;
  return true;
}

}  // namespace

signature const* signature_of(std::string_view first_bytes)
{
  for (known_signature const& one : signatures)
    if (begins_with(first_bytes, one.bytes)) return &one.is;
  return nullptr;
}

void refuse_other_formats(std::string_view first_bytes, std::string const& source, std::string const& expected)
{
  if (signature const* const other = signature_of(first_bytes))
    throw data_error({source}, std::string(other->what), expected + " (" + std::string(other->remedy) + ")");
}

}  // namespace tally::io
