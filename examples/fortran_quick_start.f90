! Tally from Fortran, by its C interface: the rows and the columns of a matrix.
module tally
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: tally_device
    integer(c_int32_t) :: type = 1, number = 0          ! the CPU
  end type
  type, bind(c) :: tally_type
    integer(c_int8_t) :: code = 2, bits = 64            ! float64
    integer(c_int16_t) :: lanes = 1
  end type
  type, bind(c) :: tally_array
    type(c_ptr) :: data
    type(tally_device) :: device
    integer(c_int32_t) :: ndim
    type(tally_type) :: dtype
    type(c_ptr) :: shape, strides
    integer(c_int64_t) :: byte_offset = 0
  end type

  interface
    integer(c_int32_t) function tally_scan(in, axis, out, op, options) bind(c)
      import :: c_int32_t, c_ptr, tally_array
      type(tally_array), intent(in) :: in, out
      integer(c_int32_t), value :: axis
      type(c_ptr), value :: op, options
    end function
    integer(c_int32_t) function tally_reduce(in, axis, out, op, options) bind(c)
      import :: c_int32_t, c_ptr, tally_array
      type(tally_array), intent(in) :: in, out
      integer(c_int32_t), value :: axis
      type(c_ptr), value :: op, options
    end function
  end interface
end module

program quick_start
  use tally
  implicit none
  real(c_double), target :: x(3, 4), running(3, 4), most(4)
  ! Fortran's first index runs fastest: these are strides of 1 and 3 elements.
  integer(c_int64_t), target :: shape(2) = [3, 4], strides(2) = [1, 3], columns(1) = [4]
  type(tally_array) :: in, sums, maxima
  type(c_ptr) :: maximum
  integer :: i

  x = reshape([(real(mod(7 * i, 12), c_double), i = 0, 11)], [3, 4])
  in = tally_array(c_loc(x), tally_device(), 2, tally_type(), c_loc(shape), c_loc(strides))
  sums = in
  sums%data = c_loc(running)
  maxima = tally_array(c_loc(most), tally_device(), 1, tally_type(), c_loc(columns), c_null_ptr)

  ! No operator is TALLY_PLUS; TALLY_MAXIMUM is the number 4.
  if (tally_scan(in, 1, sums, c_null_ptr, c_null_ptr) /= 0) error stop 'tally_scan'
  print '(a, 4f5.0)', 'running sums of the first row:', running(1, :)
  maximum = transfer(4_c_intptr_t, maximum)
  if (tally_reduce(in, 0, maxima, maximum, c_null_ptr) /= 0) error stop 'tally_reduce'
  print '(a, 4f5.0)', 'greatest of each column:      ', most
end program
