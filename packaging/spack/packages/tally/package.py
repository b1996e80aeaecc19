import os

from spack.package import *


class Tally(CMakePackage, CudaPackage):
    """Reduce and scan: at memory speed, the same bits everywhere, accurate, explained."""

    # The checkout in which this recipe lies: spack repo add packaging/spack && spack install tally
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))

    license("Apache-2.0")

    version("main", branch="main")

    variant("tool", default=False, description="Build the command-line tool")
    variant("c", default=False, description="Build the C interface, libtally.so.1")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("highway@1.0.3:")
    depends_on("tbb")

    with when("+tool"):
        depends_on("fmt@9:")
        depends_on("fast-float")
        depends_on("muparser@2.3:")
        depends_on("nlohmann-json@3.11:")
        depends_on("zlib-api")
        depends_on("zstd")
        depends_on("xz")
        depends_on("bzip2")

    with when("+cuda"):
        depends_on("cuda@13:")
        conflicts("cuda_arch=none", msg="cuda_arch says which GPUs the kernels are for, as in cuda_arch=80,90")

    conflicts("%gcc@:11", msg="Tally needs C++20 as of GCC 12")
    conflicts("%clang@:13", msg="Tally needs C++20 as of Clang 14")
    conflicts("platform=darwin", msg="Tally is for Linux")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("TALLY_CUDA", "cuda"),
            self.define_from_variant("TALLY_BUILD_TOOL", "tool"),
            self.define_from_variant("TALLY_BUILD_COURSE", "tool"),  # the tool shows its kernels
            self.define_from_variant("TALLY_BUILD_C", "c"),
            self.define("TALLY_BUILD_EXAMPLES", False),
            self.define("TALLY_BUILD_TESTS", False),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
