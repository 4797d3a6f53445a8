module constant

go 1.21
