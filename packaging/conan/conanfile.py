"""The C++ library of the checkout in which this recipe lies: conan create packaging/conan"""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Tally(ConanFile):
    name = "tally"
    description = "Reduce and scan: at memory speed, the same bits everywhere, accurate, explained"
    license = "Apache-2.0"
    topics = ("reduce", "scan", "prefix-sum", "simd", "cuda")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cuda": [True, False]}
    default_options = {"cuda": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "..", "..", "include", "tally", "config.hpp"))
        number = next(int(line.split()[2]) for line in header.splitlines() if line.startswith("#define TALLY_VERSION "))
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Tally is for Linux")

    def requirements(self):
        self.requires("highway/[>=1.0.3 <2]")
        self.requires("onetbb/[>=2021.8]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        dependencies = CMakeDeps(self)
        # The names that Highway's own CMake files have.
        dependencies.set_property("highway", "cmake_file_name", "hwy")
        dependencies.set_property("highway", "cmake_target_name", "hwy::hwy")
        dependencies.generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TALLY_CUDA"] = "ON" if self.options.cuda else "OFF"
        for part in ("C", "COURSE", "EXAMPLES", "TESTS", "TOOL"):
            toolchain.cache_variables[f"TALLY_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan writes these itself.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        core = self.cpp_info.components["core"]
        core.libs = ["tally_cpp"]
        core.requires = ["highway::highway", "onetbb::onetbb"]
        core.system_libs = ["pthread"]
        core.set_property("cmake_target_name", "tally::tally")
        core.set_property("pkg_config_name", "tally")
        if self.options.cuda:
            gpu = self.cpp_info.components["cuda"]
            gpu.libs = ["tally_cuda"]
            gpu.requires = ["core"]
            gpu.system_libs = ["cudart_static", "dl", "rt"]
            gpu.set_property("cmake_target_name", "tally::cuda")
