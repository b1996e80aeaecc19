# The tool and the libraries of the checkout in which this formula lies, for Homebrew on Linux.
class Tally < Formula
  desc "Reduce and scan: at memory speed, the same bits everywhere, accurate, explained"
  homepage "file://#{File.expand_path("../..", __dir__)}"
  license "Apache-2.0"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git

  depends_on "cmake" => :build
  depends_on "fast_float" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "fmt"
  depends_on "highway"
  depends_on :linux
  depends_on "muparser"
  depends_on "tbb"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "bzip2"
  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DTALLY_CUDA=OFF", "-DTALLY_BUILD_TESTS=OFF",
           "-DTALLY_BUILD_EXAMPLES=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_equal "55", pipe_output("#{bin}/tally reduce", (1..10).to_a.join("\n")).strip
  end
end
