# WebAssembly by Clang 19 with the C and C++ libraries of Debian (wasi-libc, libc++-19-dev-wasm32). Nothing is archived, so no
# program of LLVM but compiler and linker is needed.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_WORKS TRUE)
